import { type Address, getAddress, type Hex, numberToHex } from 'viem'
import type { Word } from '../../evm/word.ts'
import { isStaked, type StakeInfo, type StakeRequirement } from '../../types/entity.ts'
import type { OperationFacts, Parties, PhaseEntity } from './facts.ts'

/** Rules whose breach our reading of facts can find. Those of the pool are in pool/; all are in docs/erc-7562.md. */
export type RuleId =
  | 'OP-011'
  | 'OP-012'
  | 'OP-013'
  | 'OP-020'
  | 'OP-031'
  | 'OP-041'
  | 'OP-054'
  | 'OP-061'
  | 'OP-062'
  | 'OP-080'
  | 'COD-010'
  | 'STO-022'
  | 'STO-031'
  | 'STO-032'
  | 'STO-033'
  | 'EREP-050'
  | 'EREP-055'
  | 'EREP-070'
  | 'AUTH-020'
  | 'AUTH-030'
  | 'LIM-020'
  | 'LIM-030'
  | 'LIM-060'

/** Somebody of the operation. */
export type Who = { entity: PhaseEntity; address: Address }

/** A rule that was broken. */
export type Finding = Who & {
  rule: RuleId
  /** Reads on from the entity's name: `paymaster` + ` read its own slot 0x…`. */
  did: string
  opcode?: string
  slot?: Hex
  /** Where the slot is, what was called, what was created. */
  contract?: Address
  /** What the developer of the entity can do. */
  hint: string
  /** Who would have to be staked so that the rule allows it; `undefined`: no stake does. */
  liftedBy: Who | undefined
  /** The smallest limit that would do, and its field (LIM-030). */
  needs?: { path: string; atLeast: bigint }
}

/** Stakes at the EntryPoint, and what the operator asks of a staked entity. */
export type RuleOptions = {
  stakes: Readonly<Record<PhaseEntity, StakeInfo | undefined>>
  required: StakeRequirement
  /** Those that the chain has. */
  precompiles: Pick<ReadonlySet<Word>, 'has'>
}

/** What a rule looks at besides the phase: the whole operation, and who is staked. */
export type Scene = { readonly facts: OperationFacts; readonly options: RuleOptions }

export const addressOf = (word: Word): Address => getAddress(numberToHex(word, { size: 20 }))
export const slotOf = (word: Word): Hex => numberToHex(word, { size: 32 })

export function hasStake(entity: PhaseEntity, { stakes, required }: RuleOptions): boolean {
  const stake = stakes[entity]
  return stake !== undefined && isStaked(stake, required)
}

/** @returns `undefined` for a party that the operation does not have */
export function whoIs(entity: PhaseEntity, { parties }: Pick<OperationFacts, 'parties'>): Who | undefined {
  const address = parties[entity]
  return address === undefined ? undefined : { entity, address: addressOf(address) }
}

/** As the message calls an address: by its part in the operation, if it has one. */
export function nameOf(address: Word, parties: Parties): string {
  if (address === parties.entryPoint) return 'the EntryPoint'
  if (address === parties.account) return 'the account'
  if (address === parties.factory) return 'the factory'
  return address === parties.paymaster ? 'the paymaster' : addressOf(address)
}
