import type { Hash, Hex } from 'viem'
import { Unavailable } from '../base/errors.ts'
import type { FeeQuote } from '../types/block.ts'
import type { FeeOracle, HeadSource, NodeClient } from '../types/ports/chain.ts'
import { quoteFromGasPrice, quoteFromHistory } from './fee-quote.ts'

/** Blocks that a quote looks back on. */
const blocksBack = 10
/** Percentile of the priority fees paid in a block: half of the gas paid more. */
const percentile = 50

/** Quotes fees once a block, whoever asks and however often. */
export function createFeeOracle(
  options: { /** wei */ minPriorityFee: bigint },
  { client, heads }: { client: NodeClient; heads: HeadSource },
): FeeOracle {
  let cached: { block: Hash; quote: Promise<FeeQuote> } | undefined

  return {
    quote() {
      const head = heads.current
      if (head === undefined) return Promise.reject(new Unavailable('no block is known yet'))
      if (cached?.block !== head.hash) {
        const entry = { block: head.hash, quote: head.baseFeePerGas === undefined ? legacy() : current() }
        // A failed quote is asked for again by the next caller.
        entry.quote.catch(() => {
          if (cached === entry) cached = undefined
        })
        cached = entry
      }
      return cached.quote
    },
  }

  async function legacy(): Promise<FeeQuote> {
    return quoteFromGasPrice(BigInt(await client.request<Hex>('eth_gasPrice', [])), options)
  }

  async function current(): Promise<FeeQuote> {
    const params = [`0x${blocksBack.toString(16)}`, 'latest', [percentile]]
    const history = await client.request<{ baseFeePerGas: Hex[]; reward?: Hex[][] | null }>(
      'eth_feeHistory',
      params,
    )
    const nextBaseFee = history.baseFeePerGas.at(-1)
    if (nextBaseFee === undefined) throw new Unavailable('the node gave an empty fee history')
    const rewards = (history.reward ?? []).map(([reward]) => BigInt(reward ?? 0))
    return quoteFromHistory({ nextBaseFee: BigInt(nextBaseFee), rewards }, options)
  }
}
