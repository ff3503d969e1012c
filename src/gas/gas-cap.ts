import type { Head } from '../types/block.ts'

/** The most gas that a transaction may have now: no block takes one that is larger than itself. */
export function gasCapAt(head: Head | undefined, transactionGasCap: bigint): bigint {
  const block = head?.gasLimit ?? 0n
  // Some chains have no limit, and say zero.
  return block > 0n && block < transactionGasCap ? block : transactionGasCap
}
