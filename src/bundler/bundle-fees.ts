import type { FeeQuote } from '../types/block.ts'
import type { FeeCeiling } from '../types/ports/submitter.ts'
import type { UserOperation } from '../types/userop.ts'
import { effectivePriorityFee, operationGas } from '../types/userop-cost.ts'

/** basis points in a whole */
const whole = 10_000n

/**
 * wei per gas that operations must bring to travel at the market's priority fee. Fees move between quote and send, so
 * the same tolerance applies that `enforceGasPrice` has.
 */
export function marketPriorityFee(quote: FeeQuote, thresholdBasisPoints: number): bigint {
  return (quote.maxPriorityFeePerGas * (whole - BigInt(thresholdBasisPoints))) / whole
}

/**
 * What the transaction of a bundle offers, at most the market's fees. In the next block no operation pays less per gas
 * than the transaction: its priority fee is the least that any of them brings at the next base fee. For later blocks
 * the base fee is not known: the transaction offers no more than they do on average, so that one operation without
 * headroom neither keeps the others waiting nor costs much. A replacement follows the market up to `feeCeiling`, and
 * so that there can be one, a bump's worth is kept back where the next block does not ask for it.
 * @param options.deficit what the operations lack (`deficitOf`): the tip gives way to it, down to the least one
 */
export function bundleFees(
  ops: readonly UserOperation[],
  quote: FeeQuote,
  { leastPriorityFee, deficit }: { leastPriorityFee: bigint; deficit: bigint },
): FeeQuote {
  const earned = least([
    quote.maxPriorityFeePerGas,
    ...ops.map((op) => effectivePriorityFee(op, quote.baseFee)),
  ])
  const brought = larger(earned - deficit, least([earned, leastPriorityFee]))
  // Chains with one gas price have a lowest one too, which nobody tells.
  if (quote.legacy) return { ...quote, maxFeePerGas: brought, maxPriorityFeePerGas: brought }
  const ceiling = feeCeiling(ops, quote)
  const kept = keptBack(ceiling.maxPriorityFeePerGas)
  const maxPriorityFeePerGas = least([brought, larger(kept, leastPriorityFee)])
  const fee = keptBack(ceiling.maxFeePerGas)
  const next = quote.baseFee + maxPriorityFeePerGas
  return {
    ...quote,
    maxFeePerGas: least([quote.maxFeePerGas, larger(fee, next)]),
    maxPriorityFeePerGas,
  }
}

/** What a bump of an eighth takes to the ceiling. */
function keptBack(ceiling: bigint): bigint {
  return (ceiling * 8n) / 9n
}

/**
 * What operations offer on average, each by the gas that it can be charged for: a transaction that offers more costs
 * more than they bring. Times their gas it is what the EntryPoint takes from them at most; what else they may send to
 * the beneficiary is not counted on.
 */
export function feeCeiling(ops: readonly UserOperation[], { legacy, baseFee }: FeeQuote): FeeCeiling {
  const gas = ops.reduce((sum, op) => sum + operationGas(op), 0n)
  const average = (price: (op: UserOperation) => bigint) =>
    ops.reduce((sum, op) => sum + operationGas(op) * price(op), 0n) / gas
  const maxPriorityFeePerGas = average((op) =>
    legacy ? effectivePriorityFee(op, baseFee) : op.maxPriorityFeePerGas,
  )
  if (legacy) return { maxFeePerGas: maxPriorityFeePerGas, maxPriorityFeePerGas }
  return { maxFeePerGas: average((op) => op.maxFeePerGas), maxPriorityFeePerGas }
}

/**
 * wei per gas that operations lack, since data has become dearer than when they were taken: gas that they would be asked
 * for now and do not offer, at the price that they pay in the next block, spread over the gas of all.
 */
export function deficitOf(
  ops: readonly UserOperation[],
  { baseFee }: FeeQuote,
  missingGas: (op: UserOperation) => bigint,
): bigint {
  const price = (op: UserOperation) => baseFee + larger(effectivePriorityFee(op, baseFee), 0n)
  const missing = ops.reduce((sum, op) => sum + missingGas(op) * price(op), 0n)
  const gas = ops.reduce((sum, op) => sum + operationGas(op), 0n)
  return (missing + gas - 1n) / gas
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function least(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a < b ? a : b))
}
