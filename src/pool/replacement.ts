import type { UserOperation } from '../types/userop.ts'
import { type Entry, isInFlight } from './entry.ts'
import { AlreadySubmitted, ReplacementUnderpriced } from './errors.ts'

/** Percent that a replacement adds to both fees: what nodes ask for transactions, too. */
const bump = 10n

/** The least fee that outbids `fee`. */
export const outbid = (fee: bigint): bigint => (fee * (100n + bump) + 99n) / 100n

/**
 * Whether `op` may take the place of `waiting`, of the same sender and nonce.
 * @throws AlreadySubmitted, ReplacementUnderpriced
 */
export function requireReplaceable(
  waiting: Entry,
  op: UserOperation,
  { now, useropsTTL }: { /** ms since 1970 */ now: number /** s */; useropsTTL: number },
): void {
  if (isInFlight(waiting)) throw new AlreadySubmitted()
  if (now - waiting.receivedAt > useropsTTL * 1000) return
  const needed = {
    maxFeePerGas: outbid(waiting.op.maxFeePerGas),
    maxPriorityFeePerGas: outbid(waiting.op.maxPriorityFeePerGas),
  }
  if (op.maxFeePerGas < needed.maxFeePerGas || op.maxPriorityFeePerGas < needed.maxPriorityFeePerGas) {
    throw new ReplacementUnderpriced(needed)
  }
}
