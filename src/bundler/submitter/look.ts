import type { Address, Hash, Hex } from 'viem'
import type { BlockRef } from '../../types/block.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { Inclusion } from '../../types/ports/submitter.ts'
import { accountOf, type BundleReceipt } from './account.ts'
import type { Slot } from './slot.ts'

/** Where the chain has a nonce's versions. `unclear`: nodes contradict each other, ask again. */
export type Sighting = { kind: 'found'; inclusion: Inclusion } | { kind: 'nowhere' } | { kind: 'unclear' }

/** The chain as the caller knows it: its newest block, and blocks that a reorg just took out. */
export type ChainView = { head: BlockRef; removed: readonly BlockRef[] }

/**
 * Looks for every version of these slots in canonical blocks. What is found in `head` costs one round trip,
 * everything else two. @throws Unavailable
 */
export async function lookFor(
  node: NodeClient,
  slots: readonly Slot[],
  view: ChainView,
): Promise<ReadonlyMap<Slot, Sighting>> {
  const removed = new Set(view.removed.map(({ hash }) => hash))
  const read = await Promise.all(
    slots.map(async (slot) => ({
      slot,
      before: recorded(slot).filter(({ block }) => !removed.has(block.hash)),
      receipts: await readInclusions(node, slot),
    })),
  )
  const numbers = new Set<number>()
  for (const { before, receipts } of read) {
    for (const { block } of [...before, ...receipts])
      if (block.hash !== view.head.hash) numbers.add(block.number)
  }
  const hashes = new Map(
    await Promise.all([...numbers].map(async (number) => [number, await hashOfBlock(node, number)] as const)),
  )

  function place({ number, hash }: BlockRef): 'canonical' | 'gone' | 'unclear' {
    if (hash === view.head.hash) return 'canonical'
    const there = hashes.get(number)
    if (there === undefined) return number > view.head.number ? 'gone' : 'unclear'
    if (there !== hash) return 'gone'
    return removed.has(hash) ? 'unclear' : 'canonical'
  }

  return new Map(
    read.map(({ slot, before, receipts }): [Slot, Sighting] => {
      const inclusion = [...before, ...receipts].find(({ block }) => place(block) === 'canonical')
      if (inclusion !== undefined) return [slot, { kind: 'found', inclusion }]
      // A receipt of a block that is not on the chain: the nodes are of two minds.
      const unclear = receipts.length > 0 || before.some(({ block }) => place(block) === 'unclear')
      return [slot, { kind: unclear ? 'unclear' : 'nowhere' }]
    }),
  )
}

/** The relayer's next nonce on chain. @throws Unavailable */
export async function readNonce(
  node: NodeClient,
  address: Address,
  block: 'latest' | 'pending',
): Promise<number> {
  return Number(await node.request<Hex>('eth_getTransactionCount', [address, block]))
}

/** wei. @throws Unavailable */
export async function readBalance(node: NodeClient, address: Address): Promise<bigint> {
  return BigInt(await node.request<Hex>('eth_getBalance', [address, 'latest']))
}

/** Where it was when it was last seen: still true while that block is canonical, whatever the receipts say. */
function recorded({ state }: Slot): Inclusion[] {
  return state.kind === 'mined' ? [state.inclusion] : []
}

async function readInclusions(node: NodeClient, { versions }: Slot): Promise<Inclusion[]> {
  const receipts = await Promise.all(
    versions.map(({ transaction }) =>
      node.request<BundleReceipt | null>('eth_getTransactionReceipt', [transaction.hash]),
    ),
  )
  return receipts.flatMap((receipt) => (receipt === null ? [] : [inclusionOf(receipt)]))
}

function inclusionOf(receipt: BundleReceipt): Inclusion {
  return {
    transactionHash: receipt.transactionHash,
    block: { number: Number(receipt.blockNumber), hash: receipt.blockHash },
    reverted: BigInt(receipt.status) === 0n,
    ...accountOf(receipt),
  }
}

async function hashOfBlock(node: NodeClient, number: number): Promise<Hash | undefined> {
  const block = await node.request<{ hash: Hash } | null>('eth_getBlockByNumber', [
    `0x${number.toString(16)}`,
    false,
  ])
  return block?.hash
}
