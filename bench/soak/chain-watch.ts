import type { Address, Hash, Hex } from 'viem'
import { userOperationEventTopic } from '../../src/chain/events.ts'
import { rpc } from '../../test/support/devChain.ts'

/** ms between looks at the chain: the precision of the times of inclusion */
const lookInterval = 25

/** Where an operation was mined; `at` is ms of `performance.now`. */
export type Inclusion = { at: number; block: number; success: boolean }

/** What happens on the chain, read from its blocks and not from the bundler. */
export type ChainWatch = {
  readonly head: number
  readonly included: ReadonlyMap<Hash, Inclusion>
  /** Transactions to an EntryPoint. */
  readonly bundles: number
  readonly reverted: readonly Hash[]
  /** Resolves when `isEnough`, or when `giveUpMs` pass without another inclusion. */
  settle(isEnough: () => boolean, giveUpMs: number): Promise<void>
  /** @throws when the chain could not be read to the end */
  stop(): Promise<void>
}

type Receipt = {
  to: Address | null
  status: Hex
  transactionHash: Hash
  logs: { topics: Hash[]; data: Hex }[]
}

export async function watchChain(nodeUrl: string, entryPoints: readonly Address[]): Promise<ChainWatch> {
  const targets = new Set(entryPoints.map((address) => address.toLowerCase()))
  const included = new Map<Hash, Inclusion>()
  const reverted: Hash[] = []
  const headNumber = async () => Number(await rpc<Hex>(nodeUrl, 'eth_blockNumber'))
  let head = await headNumber()
  let bundles = 0
  let lastSeen = performance.now()
  let isStopped = false

  async function read(block: number): Promise<void> {
    const receipts = await rpc<Receipt[]>(nodeUrl, 'eth_getBlockReceipts', [`0x${block.toString(16)}`])
    const at = performance.now()
    for (const receipt of receipts.filter(({ to }) => targets.has(to?.toLowerCase() ?? ''))) {
      bundles += 1
      if (receipt.status !== '0x1') reverted.push(receipt.transactionHash)
      for (const { topics, data } of receipt.logs) {
        const [topic, hash] = topics
        if (topic !== userOperationEventTopic || hash === undefined) continue
        // data: nonce, success, actualGasCost, actualGasUsed
        included.set(hash, { at, block, success: data.at(2 + 2 * 64 - 1) === '1' })
        lastSeen = at
      }
    }
  }

  async function follow(): Promise<void> {
    while (!isStopped) {
      const newest = await headNumber()
      while (head < newest) {
        await read(head + 1)
        head += 1
      }
      await Bun.sleep(lookInterval)
    }
  }

  let failure: Error | undefined
  const following = follow().catch((error: Error) => {
    failure = error
  })
  return {
    get head() {
      return head
    },
    included,
    get bundles() {
      return bundles
    },
    reverted,
    async settle(isEnough, giveUpMs) {
      lastSeen = performance.now()
      while (!isEnough() && failure === undefined && performance.now() - lastSeen < giveUpMs)
        await Bun.sleep(lookInterval)
    },
    async stop() {
      isStopped = true
      await following
      if (failure !== undefined) throw failure
    },
  }
}
