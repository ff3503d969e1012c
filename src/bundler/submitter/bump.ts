import type { FeeQuote } from '../../types/block.ts'
import type { FeeCeiling } from '../../types/ports/submitter.ts'

/** What a transaction offers, wei per gas. A legacy transaction has one price, in both fields. */
export type Fees = Pick<FeeQuote, 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'legacy'>

/** What a replacement may offer: the operator's word, and what the bundle's operations pay. `undefined` is no limit. */
export type Ceilings = { operator: bigint | undefined; bundle: FeeCeiling | undefined }

/** Nodes replace a transaction for 10 % more on both fees; 12.5 % also passes those that ask for an eighth. */
const bump = { numerator: 9n, denominator: 8n }

/**
 * The fees of the next version of a nonce: what nodes demand for a replacement, and at least today's market.
 * `undefined` when the ceilings (wei per gas) leave no room for a replacement that nodes would take.
 */
export function bumpFees(
  last: Pick<Fees, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  market: Fees,
  ceilings: Ceilings,
): Fees | undefined {
  const highestFee = min(ceilings.operator, ceilings.bundle?.maxFeePerGas)
  const maxFeePerGas = offer(raised(last.maxFeePerGas), market.maxFeePerGas, highestFee)
  if (maxFeePerGas === undefined) return undefined
  if (market.legacy) return { maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas, legacy: true }
  const highestPriority = ceilings.bundle?.maxPriorityFeePerGas
  const priority = offer(raised(last.maxPriorityFeePerGas), market.maxPriorityFeePerGas, highestPriority)
  if (priority === undefined) return undefined
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: priority < maxFeePerGas ? priority : maxFeePerGas,
    legacy: false,
  }
}

function offer(least: bigint, market: bigint, ceiling: bigint | undefined): bigint | undefined {
  if (ceiling !== undefined && least > ceiling) return undefined
  return min(max(least, market), ceiling)
}

/** Rounded up, and always more: a fee of zero can only be replaced by one above it. */
function raised(fee: bigint): bigint {
  const exact = (fee * bump.numerator + bump.denominator - 1n) / bump.denominator
  return max(exact, fee + 1n)
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function min<T extends bigint | undefined>(a: T, b: bigint | undefined): T | bigint {
  return b === undefined || (a !== undefined && a < b) ? a : b
}
