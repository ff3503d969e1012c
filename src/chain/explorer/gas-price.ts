import { parseGwei } from 'viem'
import type { Json } from '../../base/errors.ts'
import type { FeeQuote } from '../../types/block.ts'

/** What an explorer's gas oracle proposes; wei per gas. */
export type ExplorerGasPrice = {
  /** All of it: base fee and tip. */
  proposed: bigint
  /** Some chains' oracles leave it out. */
  baseFee: bigint | undefined
}

/**
 * Times the node's maxFeePerGas (which is a doubled base fee with a tip) beyond which an explorer is not believed: a
 * wrong unit or another chain's price, rather than a market that the node does not see. Replacements follow these fees
 * at the operator's cost, so it is no more.
 */
const mostTimes = 2n

/** `ProposeGasPrice` and `suggestBaseFee` of module=gastracker, action=gasoracle, in gwei; `undefined` when unreadable. */
export function gasPriceIn(result: Json): ExplorerGasPrice | undefined {
  if (typeof result !== 'object' || result === null || !('ProposeGasPrice' in result)) return undefined
  const proposed = gweiIn(result.ProposeGasPrice)
  if (proposed === undefined) return undefined
  return { proposed, baseFee: gweiIn(result.suggestBaseFee) }
}

/** The node's fees, or what the explorer proposes where that is more and can be believed. */
export function raisedTo(quote: FeeQuote, { proposed, baseFee = quote.baseFee }: ExplorerGasPrice): FeeQuote {
  if (proposed > quote.maxFeePerGas * mostTimes) return quote
  if (quote.legacy) {
    const price = larger(quote.maxFeePerGas, proposed)
    return { ...quote, maxFeePerGas: price, maxPriorityFeePerGas: price }
  }
  const maxPriorityFeePerGas = larger(quote.maxPriorityFeePerGas, proposed - baseFee)
  const maxFeePerGas = quote.maxFeePerGas - quote.maxPriorityFeePerGas + maxPriorityFeePerGas
  return { ...quote, maxPriorityFeePerGas, maxFeePerGas: larger(maxFeePerGas, proposed) }
}

function gweiIn(value: Json | undefined): bigint | undefined {
  const isAmount = typeof value === 'string' && /^\d{1,12}(\.\d{1,18})?$/.test(value)
  return isAmount ? parseGwei(value) : undefined
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
