import { numberToHex } from 'viem'
import { InvalidParams } from '../base/errors.ts'
import type { UserOperation } from '../types/userop.ts'
import { type Held, isInFlight } from './held.ts'

/** Percent that a replacement adds to both fees: what nodes ask of transactions, too. */
const bump = 10n

type Fees = Pick<UserOperation, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/** -32602 with the fees that would do. */
export class ReplacementUnderpriced extends InvalidParams {
  constructor(required: Fees) {
    super('replacement underpriced', {
      path: 'params[0].maxFeePerGas',
      maxFeePerGas: numberToHex(required.maxFeePerGas),
      maxPriorityFeePerGas: numberToHex(required.maxPriorityFeePerGas),
      hint: `an operation with this sender and nonce is pending: raise both fees by ${bump} %`,
    })
  }
}

/** -32602: it may be mined any moment. */
export class AlreadyInFlight extends InvalidParams {
  constructor(present: Held) {
    super('an operation with this sender and nonce is already on its way into a block', {
      path: 'params[0].nonce',
      operation: present.entry.hash,
      hint: 'it cannot be replaced any more: wait for its receipt',
    })
  }
}

/**
 * Whether `op` may take the place of `present`, which has its sender and nonce.
 * @param ttl s after which a pending operation may be replaced without a bump
 * @throws ReplacementUnderpriced, AlreadyInFlight
 */
export function requireReplaceable(
  present: Held,
  op: Fees,
  { now, ttl }: { /** ms since 1970 */ now: number; ttl: number },
): void {
  if (isInFlight(present)) throw new AlreadyInFlight(present)
  if (now - present.entry.receivedAt > ttl * 1000) return
  const required = {
    maxFeePerGas: bumped(present.op.maxFeePerGas),
    maxPriorityFeePerGas: bumped(present.op.maxPriorityFeePerGas),
  }
  const outbids =
    op.maxFeePerGas >= required.maxFeePerGas && op.maxPriorityFeePerGas >= required.maxPriorityFeePerGas
  if (!outbids) throw new ReplacementUnderpriced(required)
}

/** Rounded up. */
const bumped = (fee: bigint): bigint => (fee * (100n + bump) + 99n) / 100n
