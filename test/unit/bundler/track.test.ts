import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../src/base/errors.ts'
import { createBindings } from '../../../src/bundler/bindings.ts'
import { createTracker } from '../../../src/bundler/track.ts'
import type { BlockRef, HeadChange } from '../../../src/types/block.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import type { PoolPort } from '../../../src/types/ports/pool.ts'
import type { IndexedEvent, StorePort } from '../../../src/types/ports/store.ts'
import type { BundleEvent } from '../../../src/types/ports/submitter.ts'
import type { OperationState } from '../../../src/types/status.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { address, hash, hashOf, userOp } from '../../support/builders.ts'
import { admit, pool } from '../pool/support.ts'
import {
  chainId,
  context,
  fakeStore,
  free,
  head,
  lifeOf,
  now,
  poolsOf,
  record,
  recordedStates,
} from './support.ts'

const transactionHash = hash(0x7a)

const eventOf = (op: UserOperation, block: BlockRef): IndexedEvent => ({
  ...{ chainId, transactionHash, block, logIndex: 0, paymaster: undefined, success: true },
  ...{ entryPoint: entryPoints[op.version].address, hash: hashOf(op), sender: op.sender, nonce: op.nonce },
  ...{ actualGasCost: 1n, actualGasUsed: 1n },
})

const added = (number: number): HeadChange => ({ head: head(number), added: [head(number)], removed: [] })
const included = (block: BlockRef) => ({
  ...{ kind: 'included' as const, success: true, transactionHash },
  ...{ blockNumber: block.number, blockHash: block.hash },
})

/** A tracker over blocks that hold `events`, and a log of what it did, in order. */
function trackerOf({
  own = pool(),
  events = [],
  records = [],
  canonical = true,
  onHead = async () => {},
  now: clock = now,
  ...store
}: {
  own?: PoolPort
  events?: readonly IndexedEvent[]
  records?: readonly UserOperation[]
  canonical?: boolean
  onHead?: (removed: readonly BlockRef[]) => Promise<void>
  now?: () => number
} & Partial<StorePort> = {}) {
  const steps: string[] = []
  const all = fakeStore({
    async indexBlock({ block }) {
      steps.push(`index ${block.number}`)
    },
    async removeBlocks() {
      steps.push('remove blocks')
    },
    async changeStates(changes) {
      steps.push(...changes.map(({ state }) => state.kind))
    },
    operation: async ({ hash: asked }) => {
      const op = records.find((known) => hashOf(known) === asked)
      return op && record(op, { state: included(head(1)) })
    },
    eventsBetween: async () => events,
    ...store,
  })
  const { states, told } = recordedStates(all)
  const [bindings, orphans] = [createBindings(), new Set<`0x${string}`>()]
  const tracker = createTracker(
    { chainId, signal: AbortSignal.abort() },
    {
      ...context,
      ...{ states, bindings, orphans, now: clock, store: all, pools: poolsOf(own) },
      deposits: { refresh: async () => {}, report: () => [] },
      fees: { quote: async () => free },
      submitter: {
        open: () => Promise.reject(new Error('not asked')),
        submit: () => Promise.reject(new Error('not asked')),
        report: () => Promise.reject(new Error('not asked')),
        drain: async () => {},
        async onHead({ head: { number }, removed }) {
          steps.push(`submitter ${number}`)
          await onHead(removed)
        },
      },
      async readEvents(block) {
        if (!canonical) throw new Unavailable('block not known')
        return events.filter((event) => event.block.hash === block.hash)
      },
      readReceipts: async () => [],
      isCanonical: async () => canonical,
    },
  )
  const life = (op: UserOperation) => lifeOf(told, op)
  return { tracker, own, bindings, orphans, steps, life, states }
}

const op = userOp()
const bundle = { chainId, bundleId: 'first', operations: [hashOf(op)] }
const submitted: BundleEvent = { ...bundle, kind: 'submitted', transactionHash }
const mined = {
  ...{ ...bundle, kind: 'mined' as const, transactionHash, block: head(2) },
  ...{ reverted: false, gasUsed: 1n, effectiveGasPrice: 1n, cost: 1n, revenue: 2n },
}

async function countedInclusions(): Promise<number> {
  const text = await context.metrics.text()
  return Number(/operation_states_total\{.*state="included".*\} (\d+)/.exec(text)?.[1] ?? 0)
}

/** A pool with `op` in a bundle. */
function bundled(): PoolPort {
  const own = pool()
  admit(own, op)
  own.bundle([hashOf(op)], 'first')
  return own
}

describe('a head', () => {
  test('is in the index before its inclusions are told, and the submitter hears of it last', async () => {
    const { tracker, own, steps, life, states } = trackerOf({
      own: bundled(),
      events: [eventOf(op, head(2))],
    })
    await tracker.onHead(added(2))
    await states.flush()
    expect(life(op)).toEqual([included(head(2))])
    expect(own.size).toBe(0)
    expect(steps).toEqual(['index 2', 'included', 'submitter 2'])
  })

  test('brings all missed blocks, in their order', async () => {
    const { tracker, steps } = trackerOf()
    await tracker.onHead({ head: head(3), added: [head(1), head(2), head(3)], removed: [] })
    expect(steps).toEqual(['index 1', 'index 2', 'index 3', 'submitter 3'])
  })

  test("that includes strangers' operations tells of them, and counts ours alone", async () => {
    const stranger = userOp({ sender: address(0x51) })
    const { tracker, life } = trackerOf({
      own: bundled(),
      events: [eventOf(op, head(2)), eventOf(stranger, head(2))],
    })
    const before = await countedInclusions()
    await tracker.onHead(added(2))
    expect([life(op), life(stranger)]).toEqual([[included(head(2))], [included(head(2))]])
    expect((await countedInclusions()) - before).toBe(1)
  })

  test('that left the chain while it was read is empty', async () => {
    const { tracker, steps } = trackerOf({ canonical: false })
    await tracker.onHead(added(2))
    expect(steps).toEqual(['index 2', 'submitter 2'])
  })

  test('that the submitter missed is made up for, with what was removed', async () => {
    const heard: (readonly BlockRef[])[] = []
    const { tracker } = trackerOf({
      async onHead(removed) {
        heard.push(removed)
        if (heard.length === 1) throw new Unavailable('busy')
      },
    })
    await tracker.onHead({ ...added(2), removed: [{ number: 2, hash: hash(0xb2) }] })
    await tracker.onHead(added(3))
    await tracker.onHead(added(4))
    expect(heard.map((blocks) => blocks.map(({ number }) => number))).toEqual([[2], [2], []])
  })
})

describe('what waits too long', () => {
  const ahead = userOp({ nonce: 1n })
  const reasonOf = (states: readonly OperationState[]) =>
    states.map((state) => ('reason' in state ? state.reason.message : state.kind))

  test('leaves though no block comes', async () => {
    let time = 1000
    const own = pool()
    admit(own, ahead, { chainSequence: 0n }, time)
    const { tracker, life } = trackerOf({ own, now: () => time })
    await tracker.onHead(added(2))
    time = 301_000
    tracker.onTime()
    expect(reasonOf(life(ahead))).toEqual(['nonce gap'])
  })

  test('does not leave while a block is applied that may have what it waits for', async () => {
    const own = pool()
    admit(own, ahead, { chainSequence: 0n }, 1000)
    const { tracker, life } = trackerOf({
      own,
      now: () => 301_000,
      indexBlock: async () => tracker.onTime(),
      events: [eventOf(op, head(2))],
    })
    await tracker.onHead(added(2))
    expect(reasonOf(life(ahead))).toEqual(['pending'])
  })
})

describe('a reorg', () => {
  const undo = { head: head(2), added: [], removed: [{ number: 1, hash: hash(1) }] }
  const gone = { events: [eventOf(op, head(1))], records: [op] }

  test('puts an operation back before its block is forgotten', async () => {
    const { tracker, own, steps, orphans } = trackerOf(gone)
    await tracker.onHead(undo)
    expect(own.get(hashOf(op))?.state).toEqual({ kind: 'pending' })
    expect(steps).toEqual(['pending', 'remove blocks', 'submitter 2'])
    expect(orphans.size).toBe(0)
  })

  test('leaves an operation with its transaction, which is still alive', async () => {
    const { tracker, own, bindings } = trackerOf(gone)
    bindings.bind([hashOf(op)], { bundleId: 'first', transactionHash })
    await tracker.onHead(undo)
    expect(own.get(hashOf(op))?.state).toEqual({ kind: 'submitted', bundleId: 'first', transactionHash })
  })

  test('lets no answer name its blocks meanwhile', async () => {
    const seen: boolean[] = []
    const { tracker, orphans } = trackerOf({
      ...gone,
      removeBlocks: async () => {
        seen.push(orphans.has(hash(1)))
      },
    })
    await tracker.onHead(undo)
    expect(seen).toEqual([true])
  })

  test("leaves a stranger's operation out of the pool", async () => {
    const { tracker, own } = trackerOf({ events: [eventOf(op, head(1))] })
    await tracker.onHead(undo)
    expect(own.size).toBe(0)
  })
})

describe('a bundle', () => {
  test('that is submitted binds its operations', () => {
    const { tracker, own, bindings } = trackerOf({ own: bundled() })
    tracker.onBundle(submitted)
    expect(own.get(hashOf(op))?.state).toEqual({ kind: 'submitted', bundleId: 'first', transactionHash })
    expect(bindings.get(hashOf(op))?.bundleId).toBe('first')
  })

  test('that reverted frees them, counted as failed', () => {
    const { tracker, own, bindings } = trackerOf({ own: bundled() })
    tracker.onBundle(submitted)
    tracker.onBundle({ ...mined, reverted: true })
    expect(own.get(hashOf(op))).toMatchObject({ state: { kind: 'pending' }, failures: 1 })
    expect(bindings.get(hashOf(op))).toBeUndefined()
  })

  test('that is abandoned frees them, and nothing counts', () => {
    const { tracker, own } = trackerOf({ own: bundled() })
    tracker.onBundle({ ...bundle, kind: 'abandoned', reason: 'nonce used' })
    expect(own.get(hashOf(op))).toMatchObject({ state: { kind: 'pending' }, failures: 0 })
  })

  test('that is abandoned leaves what another bundle has by now', () => {
    const { tracker, own } = trackerOf({ own: bundled() })
    tracker.onBundle({ ...bundle, bundleId: 'earlier', kind: 'abandoned', reason: 'nonce used' })
    expect(own.get(hashOf(op))?.state).toEqual({ kind: 'bundled', bundleId: 'first' })
  })

  test('that was mined where the index never looked holds nothing for ever', () => {
    const { tracker, own } = trackerOf({ own: bundled() })
    tracker.onBundle(submitted)
    tracker.onBundle(mined)
    expect(own.get(hashOf(op))?.state.kind).toBe('submitted')
    tracker.onBundle({ ...bundle, kind: 'finalized', transactionHash })
    expect(own.get(hashOf(op))?.state.kind).toBe('pending')
  })
})
