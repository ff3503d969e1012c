import { delegateOf } from '../../evm/delegation.ts'
import type { State } from '../../evm/state/state.ts'
import { emptyCodeHash, type Word } from '../../evm/word.ts'
import type { CodeFacts, HashedOwner, OperationFacts, Parties, PhaseFacts } from './facts.ts'
import type { GasMarks } from './gas-marks.ts'

/** The state as the run has it at the moment. */
export type CodeReader = Pick<State, 'code' | 'codeHash'>

/** The facts of an operation in the making. */
export type OperationRecord = {
  readonly parties: Parties
  readonly marks: GasMarks
  contextSize: number
  add(phase: PhaseFacts): void
  /** @returns whether it has code now */
  meet(address: Word): boolean
  isParty(address: Word): boolean
  hashed(owner: Word, hash: Word): void
  facts(): Omit<OperationFacts, 'gas'>
}

/** @param firstReading of the EntryPoint's gas that is this operation's */
export function createOperationRecord(
  parties: Parties,
  firstReading: number,
  { state }: { state: CodeReader },
): OperationRecord {
  const phases: PhaseFacts[] = []
  const codes = new Map<Word, CodeFacts>()
  const hashes = new Map<Word, Set<Word>>()
  for (const party of [parties.account, parties.factory, parties.paymaster]) {
    if (party !== undefined) hashes.set(party, new Set())
  }

  /** The EntryPoint is left out: its simulations have other code. */
  function note(address: Word, hash: Word): void {
    if (codes.has(address) || address === parties.entryPoint) return
    const delegate = hash === emptyCodeHash ? undefined : delegateOf(state.code(address))
    codes.set(address, { address, hash, delegate })
    if (delegate !== undefined) note(delegate, state.codeHash(delegate))
  }

  const record: OperationRecord = {
    parties,
    marks: { start: firstReading, accountEnd: undefined, paymasterStart: undefined, paymasterEnd: undefined },
    contextSize: 0,
    add: (phase) => phases.push(phase),
    meet(address) {
      const hash = state.codeHash(address)
      note(address, hash)
      return hash !== emptyCodeHash
    },
    isParty: (address) => hashes.has(address),
    hashed: (owner, hash) => hashes.get(owner)?.add(hash),
    facts: () => ({
      ...{ parties, phases, contextSize: record.contextSize },
      codes: [...codes.values()],
      hashed: [...hashes].flatMap(([owner, ofOwner]) =>
        [...ofOwner].map((hash): HashedOwner => ({ owner, hash })),
      ),
    }),
  }
  return record
}
