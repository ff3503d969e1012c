import type { Hash } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import type { HeadSource, NodeClient, ReadAt } from '../../types/ports/chain.ts'
import type { DataFeeKind, DataFeeOracle, DataPrices } from '../../types/ports/data-fee.ts'
import { readArbitrumPrices } from './arbitrum.ts'
import { readOpStackPrices } from './op-stack.ts'

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

/** The kind whose contracts answer, for chains of which nothing is known. @throws Unavailable */
export async function detectDataFee(node: NodeClient): Promise<DataFeeKind> {
  const [opStack, arbitrum] = await Promise.all([
    readOpStackPrices('latest', node),
    readArbitrumPrices('latest', node),
  ])
  return opStack?.kind ?? arbitrum?.kind ?? 'none'
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
