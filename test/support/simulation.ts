import type { Hash, Hex } from 'viem'
import type { Context } from '../../src/base/context.ts'
import { createLog } from '../../src/base/log.ts'
import { createMetrics } from '../../src/base/metrics.ts'
import { createNodeClient } from '../../src/chain/client.ts'
import type { BlockRef } from '../../src/types/block.ts'
import type { NodeClient } from '../../src/types/ports/chain.ts'
import { rpc } from './devChain.ts'

export function silentContext(): Context {
  return { log: createLog({ level: 'silent' }), metrics: createMetrics() }
}

export function nodeOf(chain: { url: string; chainId: number }): NodeClient {
  return createNodeClient({ chainId: chain.chainId, urls: [chain.url], timeoutMs: 5000 }, silentContext())
}

/** The newest block, as validation jobs name it. */
export async function latestBlock(chain: { url: string }): Promise<BlockRef & { timestamp: number }> {
  const block = await rpc<{ number: Hex; hash: Hash; timestamp: Hex }>(chain.url, 'eth_getBlockByNumber', [
    'latest',
    false,
  ])
  return { number: Number(block.number), hash: block.hash, timestamp: Number(block.timestamp) }
}
