import type { Context } from '../base/context.ts'
import { describe, Unavailable } from '../base/errors.ts'
import type { BlockRef, Head, HeadChange } from '../types/block.ts'
import type { HeadSource, NodeClient } from '../types/ports/chain.ts'
import { learnBlockTime } from './block-time.ts'
import { parseHeader, type RpcHeader } from './header.ts'
import { type NewHeads, subscribeNewHeads } from './new-heads.ts'
import { extend, stepTo } from './walk.ts'

/** ms; polling is never faster than this, and never slower than the next. */
const fastestPoll = 50
const slowestPoll = 1_000
/** Polls in a block: a head is seen at most this share of a block late. */
const pollsPerBlock = 5
/** Sightings kept for learning the block time. */
const sightingsKept = 16

export type HeadOptions = {
  chainId: number
  /** ms; `undefined` follows the block time */
  pollInterval?: number | undefined
  /** blocks that a reorganisation may reach back */
  reorgDepth: number
  /** blocks that are caught up on after an absence; what is older is skipped */
  catchUp: number
  /** Announces heads; polling goes on all the same. */
  webSocketUrl: string | undefined
  now?: () => number
}

/** Follows the canonical chain by polling, hastened by a WebSocket where there is one. */
export type HeadFollower = HeadSource & {
  /**
   * @param known the newest blocks that were handled before, oldest first: what happened since is told as one change
   * @throws Unavailable when no node tells the first head
   */
  start(known: readonly BlockRef[]): Promise<void>
  stop(): Promise<void>
}

export function createHeadFollower(
  options: HeadOptions,
  { client, log, metrics }: Context & { client: NodeClient },
): HeadFollower {
  const now = options.now ?? Date.now
  const listeners: ((change: HeadChange) => Promise<void> | void)[] = []
  const lag = metrics.gauge('head_timestamp_seconds', 'Timestamp of the newest block.', ['chain'])
  let known: readonly BlockRef[] = []
  let current: Head | undefined
  let lastAnswer = 0
  let sightings: number[] = []
  let newHeads: NewHeads | undefined
  let timer: Timer | undefined
  let polling: Promise<void> | undefined
  let lookAgain = false
  let stopped = false

  return {
    get current() {
      return current
    },
    get blockTime() {
      return learnBlockTime(sightings)
    },
    staleness: (at) => at - lastAnswer,
    onChange(listener) {
      listeners.push(listener)
    },
    async start(before) {
      known = before
      await look('start')
      if (options.webSocketUrl !== undefined)
        newHeads = subscribeNewHeads(options.webSocketUrl, announced, log)
      schedule()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      newHeads?.stop()
      await polling?.catch(() => {})
    },
  }

  function schedule(): void {
    if (stopped) return
    const fromBlockTime = ((learnBlockTime(sightings) ?? 1) * 1000) / pollsPerBlock
    const interval = options.pollInterval ?? Math.min(slowestPoll, Math.max(fastestPoll, fromBlockTime))
    timer = setTimeout(() => void poll('poll'), interval)
  }

  function announced(): void {
    clearTimeout(timer)
    void poll('announced')
  }

  /** One look at a time; an announcement during one asks for another. */
  async function poll(cause: 'poll' | 'announced'): Promise<void> {
    if (stopped) return
    if (polling !== undefined) {
      lookAgain = true
      return
    }
    polling = look(cause).catch((error) => log.warn('head not read', { error: describe(error) }))
    await polling
    polling = undefined
    if (lookAgain) {
      lookAgain = false
      await poll('announced')
      return
    }
    clearTimeout(timer)
    schedule()
  }

  async function look(cause: 'start' | 'poll' | 'announced'): Promise<void> {
    const header = await client.request<RpcHeader | null>('eth_getBlockByNumber', ['latest', false])
    if (header === null) throw new Unavailable('the node knows no block')
    lastAnswer = now()
    const head = parseHeader(header)
    if (known.at(-1)?.hash === head.hash) {
      current ??= head
      return
    }
    // A load-balanced node may be behind: what we have seen and it has not is no reorg.
    if (current !== undefined && head.number < current.number && (await isBehind(head, current))) return
    if (cause === 'poll') newHeads?.missed()
    const change = await stepTo(head, known, options.catchUp, readHeader)
    if (!change.complete)
      log.error('blocks skipped', { chain: options.chainId, from: known.at(-1)?.number, to: head.number })
    sightings = [...sightings, now()].slice(-sightingsKept)
    known = extend(known, change, Math.max(options.reorgDepth, 1))
    current = head
    lag.set({ chain: options.chainId }, head.timestamp)
    for (const listener of listeners) await listener(change)
  }

  async function isBehind(head: Head, newest: Head): Promise<boolean> {
    const same = known.some((block) => block.hash === head.hash)
    if (!same) return false
    // On its chain and lower: either it lags, or the chain was cut back to it. Another look at our newest block tells.
    const header = await client.request<RpcHeader | null>('eth_getBlockByHash', [newest.hash, false])
    return header !== null
  }

  async function readHeader(hash: BlockRef['hash']): Promise<Head> {
    const header = await client.request<RpcHeader | null>('eth_getBlockByHash', [hash, false])
    if (header === null) throw new Unavailable(`block ${hash} is not known`)
    return parseHeader(header)
  }
}
