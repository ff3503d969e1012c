import type { Hash } from 'viem'
import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import { persist } from '../base/persist.ts'
import type { BlockRef, Head, HeadChange } from '../types/block.ts'
import { entryPoints, versionAt } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { FeeOracle } from '../types/ports/chain.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { IndexedEvent, RawReceipt, StorePort } from '../types/ports/store.ts'
import type { BundleEvent, SubmitterPort } from '../types/ports/submitter.ts'
import type { Bindings } from './bindings.ts'
import type { Deposits } from './deposits.ts'
import { isBound } from './draft.ts'
import { profitOf } from './money/accounts.ts'
import { restoredCandidate } from './restored.ts'
import type { States } from './states.ts'

/** Keeps the index, the pool and the submitter in step with the canonical chain. */
export type Tracker = {
  /** One step of the chain; resolves when all of it is applied. */
  onHead(change: HeadChange): Promise<void>
  /** Time has passed: what has waited too long leaves, also where no block comes. Nothing while a head is applied. */
  onTime(): void
  onBundle(event: BundleEvent): void
}

type Modules = Context & {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  store: StorePort
  states: States
  bindings: Bindings
  deposits: Deposits
  /** Blocks that a reorg removed and the index still holds: no answer may name them. */
  orphans: Set<Hash>
  fees: FeeOracle
  submitter: SubmitterPort
  /** UserOperationEvents of a block. @throws Unavailable */
  readEvents: (block: BlockRef) => Promise<readonly IndexedEvent[]>
  readReceipts: (transactions: readonly Hash[]) => Promise<readonly RawReceipt[]>
  isCanonical: (block: BlockRef) => Promise<boolean>
  now: () => number
}

export function createTracker(options: { chainId: number; signal: AbortSignal }, modules: Modules): Tracker {
  const { pools, store, states, bindings, orphans, log, metrics, now } = modules
  const { chainId, signal } = options
  const inclusion = metrics.histogram('inclusion_seconds', 'From received to seen in a block.', ['chain'])
  const headNumber = metrics.gauge('head_number', 'Newest block processed.', ['chain'])
  const held = metrics.counter('bundles_held_total', 'Bundles that a fee ceiling kept from being replaced.', [
    'chain',
  ])
  const reorgs = metrics.counter('reorged_blocks_total', 'Blocks that a reorg removed.', ['chain'])

  /** The newest head, when all of it is applied. */
  let applied: Head | undefined
  /** Removed blocks that the submitter may not know of, newest first. */
  let untold: readonly BlockRef[] = []

  return {
    async onHead({ head, added, removed }) {
      applied = undefined
      if (removed.length > 0) await undo(removed)
      for (const block of added) await index(block)
      await modules.deposits.refresh(head)
      tick(head)
      applied = head
      headNumber.set({ chain: chainId }, head.number)
      await tellSubmitter(head, removed)
    },

    onTime() {
      if (applied !== undefined) tick(applied)
    },

    onBundle(event) {
      switch (event.kind) {
        case 'submitted':
          bindings.bind(event.operations, event)
          for (const pool of pools.values()) {
            const pooled = event.operations.filter((hash) => pool.get(hash) !== undefined)
            states.apply(pool.version, pool.submitted(pooled, event.bundleId, event.transactionHash))
          }
          break
        case 'mined':
          log.info('bundle mined', {
            bundle: event.bundleId,
            transaction: event.transactionHash,
            block: event.block.number,
            ...{ gasUsed: event.gasUsed, cost: event.cost, revenue: event.revenue, profit: profitOf(event) },
          })
          if (event.reverted) setFree(event, 'the bundle transaction reverted', true)
          break
        case 'held':
          held.inc({ chain: chainId })
          log.warn('bundle waits: to replace it would cost more than its ceiling', {
            bundle: event.bundleId,
            transaction: event.transactionHash,
          })
          break
        case 'abandoned':
          log.warn('bundle abandoned', { bundle: event.bundleId, reason: event.reason })
          setFree(event, event.reason, false)
          break
        case 'unmined':
          log.warn('bundle taken out by a reorg', {
            bundle: event.bundleId,
            transaction: event.transactionHash,
          })
          break
        case 'finalized':
          // Its inclusion is indexed by now, unless it was in one of more missed blocks than are caught up on: then
          // the next check says that its nonce is used.
          setFree(event, 'finalized', false)
          break
      }
    },
  }

  function tick({ timestamp, number: blockNumber }: Head): void {
    for (const pool of pools.values())
      states.apply(pool.version, pool.tick({ now: now(), timestamp, blockNumber }))
  }

  /** A head that it missed is made up for by the next; what a reorg removed is not, and is told again. */
  async function tellSubmitter(head: Head, removed: readonly BlockRef[]): Promise<void> {
    untold = [...removed, ...untold]
    const fees = await persist('fees', () => modules.fees.quote(), { signal, log })
    try {
      await modules.submitter.onHead({ chainId, head, removed: untold, fees })
      untold = []
    } catch (error) {
      log.warn('submitter not told of a head', { block: head.number, error: describe(error) })
    }
  }

  /** The operations of a bundle that will not include them may go into another one, unless they already have. */
  function setFree(event: BundleEvent, reason: string, counts: boolean): void {
    bindings.free(event.operations, event.bundleId)
    for (const pool of pools.values()) {
      const pooled = event.operations.filter((hash) => isBound(pool, hash, event.bundleId))
      states.apply(pool.version, pool.release(pooled))
      if (!counts) continue
      for (const hash of pooled)
        states.apply(pool.version, pool.failed(hash, { code: -32500, message: reason }, now()))
    }
  }

  async function index(block: Head): Promise<void> {
    const read = await persist('index block', () => readBlock(block), { signal, log })
    await persist('store block', () => store.indexBlock({ chainId, block, ...read }), { signal, log })
    for (const [version, pool] of pools) {
      const events = read.events.filter((event) => versionAt(event.entryPoint) === version)
      for (const { hash } of events) {
        const entry = pool.get(hash)
        if (entry !== undefined) inclusion.observe({ chain: chainId }, (now() - entry.receivedAt) / 1000)
      }
      const ours = events.filter(({ hash }) => isOurs(hash))
      const others = events.filter(({ hash }) => !isOurs(hash))
      const dropped = pool.mined(events, { blockNumber: block.number })
      states.apply(version, [...ours.map(includedIn(block)), ...dropped])
      states.overhear(version, others.map(includedIn(block)))
    }
  }

  async function readBlock(
    block: BlockRef,
  ): Promise<{ events: readonly IndexedEvent[]; receipts: readonly RawReceipt[] }> {
    try {
      const events = await modules.readEvents(block)
      const ours = events.filter(({ hash }) => isOurs(hash))
      const transactions = [...new Set(ours.map((event) => event.transactionHash))]
      const receipts = transactions.length === 0 ? [] : await modules.readReceipts(transactions)
      return { events, receipts: receipts.filter((receipt) => receipt.blockHash === block.hash) }
    } catch (error) {
      // A block that was reorganised away meanwhile cannot be read any more, and the next step will remove it.
      if (await modules.isCanonical(block)) throw error
      log.info('block left the chain while it was read', { block: block.number, error: describe(error) })
      return { events: [], receipts: [] }
    }
  }

  /** In a pool or in a bundle of ours: what left both earlier looks like a stranger's. */
  function isOurs(hash: Hash): boolean {
    if (bindings.get(hash) !== undefined) return true
    for (const pool of pools.values()) if (pool.get(hash) !== undefined) return true
    return false
  }

  async function undo(removed: readonly BlockRef[]): Promise<void> {
    reorgs.inc({ chain: chainId }, removed.length)
    for (const { hash } of removed) orphans.add(hash)
    log.warn('reorg', { depth: removed.length, newest: removed[0]?.number })
    for (const [version, pool] of pools) {
      const events = await persist('read removed blocks', () => eventsOf(version, removed), { signal, log })
      pool.unmined(events)
      for (const event of events) await reinstate(version, pool, event)
    }
    // First that they wait again, then that they are in no block: a crash in between loses neither.
    const forget = async () => {
      await states.flush()
      await store.removeBlocks({ chainId, blocks: removed })
    }
    await persist('remove blocks', forget, { signal, log })
    for (const { hash } of removed) orphans.delete(hash)
  }

  async function eventsOf(
    version: EntryPointVersion,
    blocks: readonly BlockRef[],
  ): Promise<readonly IndexedEvent[]> {
    const numbers = blocks.map((block) => block.number)
    const hashes = new Set(blocks.map((block) => block.hash))
    const { address } = entryPoints[version]
    const range = { from: Math.min(...numbers), to: Math.max(...numbers) }
    const events = await store.eventsBetween({ chainId, entryPoint: address, ...range })
    return events.filter((event) => hashes.has(event.block.hash))
  }

  /** An operation of ours whose block is gone waits again: for its transaction, if that one is still alive. */
  async function reinstate(version: EntryPointVersion, pool: PoolPort, event: IndexedEvent): Promise<void> {
    const { hash } = event
    const record = await persist('read operation', () => store.operation({ chainId, hash }), { signal, log })
    if (record === undefined) return
    const effects = [...pool.restore(restoredCandidate(record, event.block), now())]
    const binding = bindings.get(hash)
    if (binding !== undefined) {
      effects.push(...pool.bundle([hash], binding.bundleId))
      effects.push(...pool.submitted([hash], binding.bundleId, binding.transactionHash))
    }
    states.apply(version, effects)
  }
}

function includedIn(block: BlockRef) {
  return (event: IndexedEvent) => ({
    hash: event.hash,
    sender: event.sender,
    state: {
      kind: 'included' as const,
      success: event.success,
      transactionHash: event.transactionHash,
      blockNumber: block.number,
      blockHash: block.hash,
    },
  })
}
