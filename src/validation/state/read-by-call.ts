import type { Address, Hex } from 'viem'
import { NodeError } from '../../chain/node-error.ts'
import { emptyCodeHash, type Word } from '../../evm/word.ts'
import type { NodeClient, ReadAt } from '../../types/ports/chain.ts'
import type { BlockView } from './block-view.ts'
import { addressHex } from './hex.ts'
import type { StateKeys } from './keys.ts'
import { createPlainReads, lastingCodeOf, type StateReader } from './plain-reads.ts'
import { allOf } from './read-state.ts'
import {
  type Answers,
  answersIn,
  divided,
  type Questions,
  readerProgram,
  slotReader,
} from './reader-program.ts'

/** Answers of one call: some 2.5 million gas, where nodes allow 10 million or more, and about 60 kB of code. */
const mostWords = 1000

/** Where the program stands meanwhile: "tandem reader" */
const programAddress: Address = '0x0000000000000074616e64656d20726561646572'

/** About whom the call itself makes the node believe something: the program, and who calls it. */
const pretended: readonly Word[] = [BigInt(programAddress), 0n]

/** The node takes no such call. */
export class ReaderRefused extends Error {
  override readonly name = 'ReaderRefused'
}

/**
 * Reads `keys` at the view's block into it by `eth_call`, whose overrides put a program where nobody is, and in place
 * of the accounts whose storage is wanted one that tells its slots: one call for all that code can ask for, with the
 * plain reads for the rest in the same request.
 * @returns how many calls it took
 * @throws ReaderRefused where the node takes no such call; Unavailable when something could not be told
 */
export async function readByCall(keys: StateKeys, view: BlockView, reader: StateReader): Promise<number> {
  const read = createPlainReads(view, reader)
  const questions: Questions = {
    accounts: [...keys.accounts].filter((address) => !pretended.includes(address)),
    storage: [...keys.slots]
      .filter(([address]) => !pretended.includes(address))
      .map(([address, slots]) => ({ address, slots: [...slots] })),
  }
  const parts = divided(questions, mostWords)
  const standIns = new Set(questions.storage.map(({ address }) => address))
  /** Of those whose code is replaced meanwhile. */
  const codeHashes = new Map(
    questions.accounts
      .filter((address) => standIns.has(address))
      .map((address) => [address, lastingCodeOf(address, view, reader) ?? read.code(address)] as const),
  )
  const reads: Promise<unknown>[] = parts.map(async (part) => learn(await ask(part, view.block, reader)))
  for (const address of pretended) {
    if (keys.accounts.has(address)) reads.push(read.account(address))
    for (const slot of keys.slots.get(address) ?? []) reads.push(read.slot(address, slot))
  }
  for (const address of keys.nonces) reads.push(read.nonce(address))
  for (const [codeHash, address] of keys.codes)
    if (!keys.accounts.has(address)) reads.push(read.code(address, codeHash))
  for (const number of keys.blockHashes) reads.push(read.blockHash(number))
  await allOf([...reads, ...codeHashes.values()].map(async (each) => each))
  return parts.length + read.calls

  async function learn({ accounts, storage }: Answers): Promise<void> {
    for (const { address, values } of storage)
      for (const [slot, value] of values) view.learnSlot(address, slot, value)
    await allOf(
      accounts.map(async ({ address, balance, codeHash: told }) => {
        const codeHash = await (codeHashes.get(address) ?? told)
        view.learnAccount(address, (await exists(address, balance, codeHash)) ? { balance, codeHash } : null)
      }),
    )
  }

  /** Keeps the code, too. */
  async function exists(address: Word, balance: bigint, codeHash: Word): Promise<boolean> {
    if (codeHash === 0n) return false
    if (codeHash !== emptyCodeHash) {
      const code = reader.codes.get(codeHash)
      if (code === undefined) await read.code(address, codeHash)
      else view.lastingCode.note(address, codeHash, code)
      return true
    }
    // What stood in for an account without code hides whether there is one.
    return balance > 0n || !codeHashes.has(address) || (await read.nonce(address)) > 0n
  }
}

/** Whether a node lets code of ours read. @throws Unavailable when it cannot tell */
export async function takesReader(node: NodeClient): Promise<boolean> {
  try {
    await ask({ accounts: [1n], storage: [{ address: 2n, slots: [0n] }] }, 'latest', { node })
    return true
  } catch (error) {
    if (error instanceof ReaderRefused) return false
    throw error
  }
}

async function ask(part: Questions, at: ReadAt, { node }: Pick<StateReader, 'node'>): Promise<Answers> {
  const overrides: Record<Address, { code: Hex }> = { [programAddress]: { code: readerProgram(part) } }
  for (const { address } of part.storage) overrides[addressHex(address)] = { code: slotReader }
  const call = { to: programAddress, data: '0x' }
  try {
    return answersIn(await node.requestAt<Hex>('eth_call', [call], at, [overrides]), part)
  } catch (error) {
    if (error instanceof NodeError || error instanceof RangeError)
      throw new ReaderRefused('the node does not run what overrides put in place', { cause: error })
    throw error
  }
}
