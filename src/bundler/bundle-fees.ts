import type { FeeQuote } from '../types/block.ts'
import type { UserOperation } from '../types/userop.ts'
import { effectivePriorityFee } from '../types/userop-cost.ts'

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
 * headroom neither keeps the others waiting nor costs much. A replacement follows the market instead.
 */
export function bundleFees(ops: readonly UserOperation[], quote: FeeQuote): FeeQuote {
  const brought = ops.map((op) => effectivePriorityFee(op, quote.baseFee))
  const maxPriorityFeePerGas = least([quote.maxPriorityFeePerGas, ...brought])
  if (quote.legacy) return { ...quote, maxFeePerGas: maxPriorityFeePerGas, maxPriorityFeePerGas }
  const average = ops.reduce((sum, op) => sum + op.maxFeePerGas, 0n) / BigInt(ops.length)
  return { ...quote, maxFeePerGas: least([quote.maxFeePerGas, average]), maxPriorityFeePerGas }
}

function least(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a < b ? a : b))
}
