import type { Hash, Hex } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import type { HeadSource, NodeClient, ReadAt } from '../../types/ports/chain.ts'
import type { DataFeeKind, DataFeeOracle, DataPrices } from '../../types/ports/data-fee.ts'
import { readArbitrumPrices } from './arbitrum.ts'
import { gasPriceOracle, readOpStackPrices } from './op-stack.ts'

/** Reads the chain's data prices once a block, whoever asks and however often. */
export function createDataFeeOracle(
  { kind }: { kind: DataFeeKind },
  { client, heads }: { client: NodeClient; heads: HeadSource },
): DataFeeOracle {
  let cached: { block: Hash; prices: Promise<DataPrices> } | undefined

  return {
    async prices() {
      const head = heads.current
      if (kind === 'none') return { kind }
      if (head === undefined) throw new Unavailable('no block is known yet')
      if (cached?.block !== head.hash) {
        const entry = { block: head.hash, prices: readPrices(kind, head, client) }
        // What failed is asked for again by the next caller.
        entry.prices.catch(() => {
          if (cached === entry) cached = undefined
        })
        cached = entry
      }
      return cached.prices
    },
  }
}

/** Where oracles of other forms stand: before Fjord or of a fork of the OP Stack, and Scroll's. */
const otherOracles = [gasPriceOracle, '0x5300000000000000000000000000000000000002']

/**
 * The kind whose contracts answer, for chains of which nothing is known. `unknown`: there is an oracle, but none that we
 * can work with. @throws Unavailable
 */
export async function detectDataFee(node: NodeClient): Promise<DataFeeKind | 'unknown'> {
  const [opStack, arbitrum, ...codes] = await Promise.all([
    readOpStackPrices('latest', node),
    readArbitrumPrices('latest', node),
    ...otherOracles.map((oracle) => node.request<Hex>('eth_getCode', [oracle, 'latest'])),
  ])
  return opStack?.kind ?? arbitrum?.kind ?? (codes.every((code) => code === '0x') ? 'none' : 'unknown')
}

async function readPrices(
  kind: Exclude<DataFeeKind, 'none'>,
  at: ReadAt,
  node: NodeClient,
): Promise<DataPrices> {
  const prices = await (kind === 'op-stack' ? readOpStackPrices(at, node) : readArbitrumPrices(at, node))
  if (prices === undefined) throw new Unavailable(`the chain does not answer as one with ${kind} data fees`)
  return prices
}
