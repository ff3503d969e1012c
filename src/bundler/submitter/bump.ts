import type { FeeQuote } from '../../types/block.ts'

/** What a transaction offers, wei per gas. A legacy transaction has one price, in both fields. */
export type Fees = Pick<FeeQuote, 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'legacy'>

/** Nodes replace a transaction for 10 % more on both fees; 12.5 % also passes those that ask for an eighth. */
const bump = { numerator: 9n, denominator: 8n }

/**
 * The fees of the next version of a nonce: what nodes demand for a replacement, and at least today's market.
 * `undefined` when the ceiling (wei per gas) leaves no room for a replacement that nodes would take.
 */
export function bumpFees(
  last: Pick<Fees, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  market: Fees,
  ceiling: bigint | undefined,
): Fees | undefined {
  const leastFee = raised(last.maxFeePerGas)
  if (ceiling !== undefined && leastFee > ceiling) return undefined
  const maxFeePerGas = min(max(leastFee, market.maxFeePerGas), ceiling)
  if (market.legacy) return { maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas, legacy: true }
  const priority = max(raised(last.maxPriorityFeePerGas), market.maxPriorityFeePerGas)
  return { maxFeePerGas, maxPriorityFeePerGas: min(priority, maxFeePerGas), legacy: false }
}

/** Rounded up, and always more: a fee of zero can only be replaced by one above it. */
function raised(fee: bigint): bigint {
  const exact = (fee * bump.numerator + bump.denominator - 1n) / bump.denominator
  return max(exact, fee + 1n)
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function min(a: bigint, b: bigint | undefined): bigint {
  return b === undefined || a < b ? a : b
}
