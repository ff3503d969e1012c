import { numberToHex } from 'viem'
import type { Context } from '../base/context.ts'
import { describe, Unavailable } from '../base/errors.ts'
import { type Deferred, deferred, withDeadline } from '../base/queue.ts'
import type { BlockRef, Head, HeadChange } from '../types/block.ts'
import type { HeadSource, NodeClient } from '../types/ports/chain.ts'
import { learnBlockTime, leastSightings, type Sighting, withSighting } from './block-time.ts'
import { parseHeader, type RpcHeader } from './header.ts'
import { type NewHeads, subscribeNewHeads } from './new-heads.ts'
import { extend, newestRun, stepTo } from './walk.ts'

/** ms; polling is never faster than this, and never slower than the next. */
const fastestPoll = 50
const slowestPoll = 1_000
/** Polls in a block: a head is seen at most this share of a block late. */
const pollsPerBlock = 5
/** s; assumed until the block time is known, or while it is uneven. */
const assumedBlockTime = 1
/** times the lag that a node may have: by then one that only lags has been left out */
const cutBackFactor = 1.5
/** ms from the beginning of a look; the longest that anybody waits for it. */
const refreshDeadline = 5_000

export type HeadOptions = {
  chainId: number
  /** ms; `undefined` follows the block time */
  pollInterval?: number | undefined
  /** ms between blocks, until they were seen; `undefined` when nothing is known */
  blockTime?: number | undefined
  /** blocks that a reorganisation may reach back */
  reorgDepth: number
  /** ms that a node may be behind the others; without it the chain is never taken to be cut back */
  maxNodeLag?: number | undefined
  /** blocks that are caught up on after an absence; what is older is skipped */
  catchUp: number
  /** Announces heads; polling goes on all the same. */
  webSocketUrl: string | undefined
  now?: () => number
}

/** Follows the canonical chain by polling, hastened by a WebSocket where there is one. */
export type HeadFollower = HeadSource & {
  /**
   * Tells the first change, and follows from there. What happened since `before` is told as one change.
   * @param before the newest blocks that were handled earlier, oldest first
   * @throws Unavailable when no node tells the first head; it may be called again
   */
  start(before: readonly BlockRef[]): Promise<void>
  /** Resolves when no listener is at work any more. */
  stop(): Promise<void>
}

export function createHeadFollower(
  options: HeadOptions,
  { client, log, metrics }: Context & { client: NodeClient },
): HeadFollower {
  const now = options.now ?? Date.now
  const chain = options.chainId
  const cutBackAfter = (options.maxNodeLag ?? Number.POSITIVE_INFINITY) * cutBackFactor
  const listeners: ((change: HeadChange) => Promise<void> | void)[] = []
  const headTime = metrics.gauge('head_timestamp_seconds', 'Timestamp of the newest block.', ['chain'])
  let known: readonly BlockRef[] = []
  let current: Head | undefined
  let answeredAt = Number.NEGATIVE_INFINITY
  /** Since when every look has found an older block than the newest that is known. */
  let behindSince: number | undefined
  let sightings: readonly Sighting[] = []
  let newHeads: NewHeads | undefined
  let timer: Timer | undefined
  let looking: Promise<void> | undefined
  let lookingSince = 0
  /** The look that was asked for during the one under way. */
  let next: Deferred<void> | undefined
  let state: 'new' | 'following' | 'stopped' = 'new'

  return {
    get current() {
      return current
    },
    get blockTime() {
      return blockTime()
    },
    staleness: (at) => at - answeredAt,
    onChange(listener) {
      listeners.push(listener)
    },
    async start(before) {
      known = newestRun(before)
      await look('announced')
      if (isStopped()) return
      if (options.webSocketUrl !== undefined)
        newHeads = subscribeNewHeads(options.webSocketUrl, () => void lookNow(), log)
      state = 'following'
      schedule()
    },
    async refresh() {
      // A listener may be held up by an outage for long; what is known by then has to do, for all who ask meanwhile.
      const wait = looking === undefined ? refreshDeadline : lookingSince + refreshDeadline - now()
      if (wait <= 0) return
      await withDeadline(lookNow(), wait, () => new Unavailable('head')).catch(() => {})
    },
    async stop() {
      state = 'stopped'
      clearTimeout(timer)
      newHeads?.stop()
      await looking
    },
  }

  /** s */
  function blockTime(): number | undefined {
    const learned = learnBlockTime(sightings)
    const expected = options.blockTime
    return sightings.length < leastSightings && expected !== undefined ? expected / 1000 : learned
  }

  function isStopped(): boolean {
    return state === 'stopped'
  }

  function schedule(): void {
    clearTimeout(timer)
    if (state !== 'following') return
    const share = ((blockTime() ?? assumedBlockTime) * 1000) / pollsPerBlock
    const interval = options.pollInterval ?? Math.min(slowestPoll, Math.max(fastestPoll, share))
    timer = setTimeout(() => void begin('polled'), interval)
  }

  /** A look that begins from now on; those who ask during one share the next. */
  function lookNow(): Promise<void> {
    if (state !== 'following') return Promise.resolve()
    if (looking === undefined) return begin('announced')
    next ??= deferred()
    return next.promise
  }

  /** One look at a time. Resolves when what was seen is handled, or could not be read. */
  function begin(cause: 'polled' | 'announced'): Promise<void> {
    clearTimeout(timer)
    lookingSince = now()
    looking = look(cause)
      .catch((error) => log.warn('head not read', { error: describe(error) }))
      .then(() => {
        looking = undefined
        const asked = next
        next = undefined
        if (asked === undefined) schedule()
        else if (state === 'following') void begin('announced').then(asked.resolve)
        else asked.resolve()
      })
    return looking
  }

  async function look(cause: 'polled' | 'announced'): Promise<void> {
    const header = await client.request<RpcHeader | null>('eth_getBlockByNumber', ['latest', false])
    if (header === null) throw new Unavailable('the node knows no block')
    const head = parseHeader(header)
    answeredAt = now()
    if (isKnown(head)) {
      current ??= head
      if (!isCutBack(head)) return
      log.warn('the chain was cut back', { from: known.at(-1)?.number, to: head.number })
    }
    behindSince = undefined
    if (cause === 'polled') newHeads?.missed()
    const step = await stepTo(head, known, options, readHeaders)
    if (step.tooDeep) log.error('reorg below all known blocks', { depth: step.removed.length })
    if (step.skipped > 0) log.warn('blocks skipped', { blocks: step.skipped, before: step.added[1]?.number })
    known = extend(known, step, options.reorgDepth)
    current = head
    sightings = withSighting(sightings, { number: head.number, at: now() })
    headTime.set({ chain }, head.timestamp)
    await tell({ head, added: step.added, removed: step.removed })
  }

  function isKnown({ number, hash }: Head): boolean {
    return number < (known[0]?.number ?? 0) || known.some((block) => block.hash === hash)
  }

  /**
   * Nodes behind one URL are not equally fast, and a chain that was cut back usually grows again. But when nothing else
   * is seen for longer than a node may lag, this is where the chain ends, and where it mines on demand it may wait for us.
   */
  function isCutBack({ hash }: Head): boolean {
    if (known.at(-1)?.hash === hash) {
      behindSince = undefined
      return false
    }
    behindSince ??= now()
    return now() - behindSince > cutBackAfter
  }

  async function tell(change: HeadChange): Promise<void> {
    for (const listener of listeners) {
      try {
        await listener(change)
      } catch (error) {
        log.error('head not handled', { number: change.head.number, error: describe(error) })
      }
    }
  }

  async function readHeaders(from: number, to: number): Promise<Head[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    const headers = await Promise.all(
      numbers.map((number) =>
        client.request<RpcHeader | null>('eth_getBlockByNumber', [numberToHex(number), false]),
      ),
    )
    return headers.map((header, index) => {
      if (header === null) throw new Unavailable(`block ${numbers[index]} is not known`)
      return parseHeader(header)
    })
  }
}
