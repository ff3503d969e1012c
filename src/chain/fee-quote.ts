import type { FeeQuote } from '../types/block.ts'

/** What eth_feeHistory tells, parsed; wei per gas. */
export type FeeHistoryFacts = {
  /** base fee of the next block */
  nextBaseFee: bigint
  /** the chosen percentile of each recent block, oldest first; empty blocks give 0 */
  rewards: readonly bigint[]
}

/**
 * Blocks of highest growth (12.5 % each, EIP-1559) that a fee withstands: 6 ≈ a doubling, which is what wallets
 * are used to, and more than the life of a bundle.
 */
const headroom = 2n

/** Fees from recent blocks: the median reward, at least the floor, over a base fee that may still double. */
export function quoteFromHistory(
  facts: FeeHistoryFacts,
  options: { /** wei */ minPriorityFee: bigint },
): FeeQuote {
  const paid = facts.rewards.filter((reward) => reward > 0n).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const median = paid[Math.floor(paid.length / 2)] ?? 0n
  const maxPriorityFeePerGas = median > options.minPriorityFee ? median : options.minPriorityFee
  return {
    baseFee: facts.nextBaseFee,
    maxFeePerGas: facts.nextBaseFee * headroom + maxPriorityFeePerGas,
    maxPriorityFeePerGas,
    legacy: false,
  }
}

/** What a full block makes of its base fee: an eighth more (EIP-1559). */
export const highestNextBaseFee = (baseFee: bigint): bigint => (baseFee * 9n) / 8n

/** Fees of a chain before EIP-1559: one price. */
export function quoteFromGasPrice(gasPrice: bigint, options: { minPriorityFee: bigint }): FeeQuote {
  const price = gasPrice > options.minPriorityFee ? gasPrice : options.minPriorityFee
  return { baseFee: 0n, maxFeePerGas: price, maxPriorityFeePerGas: price, legacy: true }
}
