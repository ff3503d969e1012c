import type { Address, Hash, Hex } from 'viem'
import { userOperationEventTopic } from '../../src/chain/events.ts'
import { rpc } from '../../test/support/devChain.ts'

/** ms between looks at the chain: the precision of the times of inclusion */
const lookInterval = 20

/** When each operation was first seen in a block, ms of `performance.now`; read from the chain, not from the bundler. */
export type Inclusions = {
  at: ReadonlyMap<Hash, number>
  /** Resolves when `count` operations are in blocks, or after `giveUpMs` without a new one. */
  reach(count: number, giveUpMs: number): Promise<void>
  stop(): void
}

export function watchInclusions(nodeUrl: string, entryPoints: readonly Address[]): Inclusions {
  const at = new Map<Hash, number>()
  let stopped = false
  let lastSeen = performance.now()
  void (async () => {
    let next = Number(await rpc<Hex>(nodeUrl, 'eth_blockNumber')) + 1
    while (!stopped) {
      const head = Number(await rpc<Hex>(nodeUrl, 'eth_blockNumber'))
      for (; next <= head; next++) {
        const block = `0x${next.toString(16)}`
        const filter = {
          fromBlock: block,
          toBlock: block,
          address: entryPoints,
          topics: [userOperationEventTopic],
        }
        for (const log of await rpc<{ topics: Hash[] }[]>(nodeUrl, 'eth_getLogs', [filter])) {
          at.set(log.topics[1] ?? '0x', performance.now())
          lastSeen = performance.now()
        }
      }
      await Bun.sleep(lookInterval)
    }
  })()
  return {
    at,
    async reach(count, giveUpMs) {
      lastSeen = performance.now()
      while (at.size < count && performance.now() - lastSeen < giveUpMs) await Bun.sleep(lookInterval)
    },
    stop() {
      stopped = true
    },
  }
}
