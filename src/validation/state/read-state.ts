import type { BlockView } from './block-view.ts'
import type { StateKeys } from './keys.ts'
import { createPlainReads, type StateReader } from './plain-reads.ts'

/**
 * Reads `keys` at the view's block into it by plain calls, all in one tick, so that they share one request. Proofs
 * would be fewer calls, but each is work for the node and kilobytes for the line.
 * @returns how many calls it took
 * @throws Unavailable when one of them could not be told; what the others told is kept
 */
export async function readState(keys: StateKeys, view: BlockView, reader: StateReader): Promise<number> {
  const read = createPlainReads(view, reader)
  const reads: Promise<unknown>[] = []
  for (const address of keys.accounts) reads.push(read.account(address))
  for (const address of keys.nonces) if (!keys.accounts.has(address)) reads.push(read.nonce(address))
  for (const [address, slots] of keys.slots) for (const slot of slots) reads.push(read.slot(address, slot))
  for (const [codeHash, address] of keys.codes)
    if (!keys.accounts.has(address)) reads.push(read.code(address, codeHash))
  for (const number of keys.blockHashes) reads.push(read.blockHash(number))
  await allOf(reads)
  return read.calls
}

/** Waits for all of them, then throws what the first that failed did. */
export async function allOf(reads: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(reads)).find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
