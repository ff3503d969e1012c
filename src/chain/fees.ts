import { type Hash, type Hex, numberToHex } from 'viem'
import { Unavailable } from '../base/errors.ts'
import type { FeeQuote, Head } from '../types/block.ts'
import type { FeeOracle, HeadSource, NodeClient } from '../types/ports/chain.ts'
import { type FeeHistoryFacts, highestNextBaseFee, quoteFromGasPrice, quoteFromHistory } from './fee-quote.ts'
import { NodeError } from './node-error.ts'

/** Blocks that a quote looks back on. */
const blocksBack = 10
/** Percentile of the priority fees paid in a block: half of the gas paid more. */
const percentile = 50

/** Of n blocks: n + 1 base fees, the last of which is the next block's. */
type RpcFeeHistory = { baseFeePerGas: Hex[]; reward?: Hex[][] | null }

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
        const entry = { block: head.hash, quote: quoteAt(head) }
        // A failed quote is asked for again by the next caller.
        entry.quote.catch(() => {
          if (cached === entry) cached = undefined
        })
        cached = entry
      }
      return cached.quote
    },
  }

  async function quoteAt({ baseFeePerGas }: Head): Promise<FeeQuote> {
    if (baseFeePerGas === undefined) return quoteFromGasPrice(await gasPrice(), options)
    try {
      return quoteFromHistory(await history(), options)
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      // A node without eth_feeHistory: its gas price is the base fee with a tip.
      const tip = (await gasPrice()) - baseFeePerGas
      return quoteFromHistory({ nextBaseFee: highestNextBaseFee(baseFeePerGas), rewards: [tip] }, options)
    }
  }

  async function gasPrice(): Promise<bigint> {
    return BigInt(await client.request<Hex>('eth_gasPrice', []))
  }

  async function history(): Promise<FeeHistoryFacts> {
    const { baseFeePerGas, reward } = await client.request<RpcFeeHistory>('eth_feeHistory', [
      numberToHex(blocksBack),
      'latest',
      [percentile],
    ])
    const nextBaseFee = baseFeePerGas.at(-1)
    if (nextBaseFee === undefined) throw new Unavailable('the node gave an empty fee history')
    return {
      nextBaseFee: BigInt(nextBaseFee),
      rewards: (reward ?? []).map(([paid]) => BigInt(paid ?? 0)),
    }
  }
}
