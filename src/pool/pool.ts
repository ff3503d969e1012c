import type { Address, Hash } from 'viem'
import type { PoolCandidate, PoolEffect, PooledState, PoolPort } from '../types/ports/pool.ts'
import type { OperationState } from '../types/status.ts'
import { nonceKey, nonceSequence, paymasterOf, type UserOperation } from '../types/userop.ts'
import { requiredPrefund } from '../types/userop-cost.ts'
import { Deadlines, droppedFor, endingOf } from './deadlines.ts'
import { type Entry, entitiesOf, isInFlight, isWaiting, type LineKey } from './entry.ts'
import { NonceGapTooWide, PoolFull } from './errors.ts'
import { Ledger } from './ledger.ts'
import { Limits } from './limits.ts'
import { Line } from './line.ts'
import { byWorth, FeeOrder } from './order.ts'
import { requireReplaceable } from './replacement.ts'
import { Reputation } from './reputation.ts'
import { backOff, selectBundle } from './select.ts'
import type { PoolSettings } from './settings.ts'
import { Sorted } from './sorted.ts'

/** Failed bundle checks after which an operation that passes validation alone is given up. */
const mostFailures = 5
/** Blocks that an operation of a throttled entity may wait (ERC-7562, THROTTLED_ENTITY_LIVE_BLOCKS). */
const throttledLiveBlocks = 10

/** Inclusions that a reorg could take back: more than fit into any reorg depth that is sensible. */
const inclusionsKept = 10_000

const lineKey = (sender: Address, nonce: bigint): LineKey => `${sender}:${nonceKey(nonce)}`

/** The mempool of one EntryPoint: see `PoolPort`. */
export function createPool(settings: PoolSettings): PoolPort {
  const byHash = new Map<Hash, Entry>()
  const lines = new Map<LineKey, Line>()
  /** Line heads that a bundle may take. */
  const ready = new FeeOrder()
  const isReady = new Set<Entry>()
  /** Whatever may be evicted. */
  const worth = new Sorted<Entry>(byWorth)
  const deadlines = new Deadlines(settings)
  const reputation = new Reputation(settings)
  const limits = new Limits(settings, reputation)
  const ledger = new Ledger()
  const inFlight = new Map<Address, number>()
  const throttled = new Set<Entry>()
  /** Whose reputation recent inclusions counted for, oldest first, in case a reorg undoes them. */
  const included = new Map<Hash, readonly Address[]>()
  let arrivals = 0
  /** The newest time we were told, for changes that do not tell it; ms since 1970. */
  let clock = 0
  let blockNumber = 0

  return {
    version: settings.version,
    get size() {
      return byHash.size
    },
    get: (hash) => byHash.get(hash),
    at: (sender, nonce) => lines.get(lineKey(sender, nonce))?.at(nonceSequence(nonce)),
    entries: () => byHash.values(),
    paymasters: () => ledger.paymasters(),
    reputation: () => reputation.views(),
    setReputation: (entries) => reputation.set(entries),
    clearReputation: () => reputation.clear(),

    turn(sender, nonce) {
      const line = lines.get(lineKey(sender, nonce))
      if (line === undefined) return { kind: 'unknown' }
      const own = nonceSequence(nonce)
      const sequence = line.next
      if (own < sequence) return { kind: 'used', sequence }
      const before = line.at(own - 1n)
      const next = own === sequence || (before !== undefined && before.state.kind !== 'queued')
      return { kind: next ? 'next' : 'ahead', sequence }
    },

    precheck(op, now) {
      clock = now
      limits.requireWelcome(op)
      const line = lines.get(lineKey(op.sender, op.nonce))
      if (line === undefined) return
      requireNear(op.nonce, line.next)
      const waiting = line.at(nonceSequence(op.nonce))
      if (waiting !== undefined) requireReplaceable(waiting, op, { now, useropsTTL: settings.useropsTTL })
    },

    admit(candidate, now) {
      clock = now
      const { op, facts } = candidate
      limits.requireWelcome(op)
      const line = lines.get(lineKey(op.sender, op.nonce))
      requireNear(op.nonce, line?.next ?? candidate.chainSequence)
      const replaced = line?.at(nonceSequence(op.nonce))
      if (replaced !== undefined) requireReplaceable(replaced, op, { now, useropsTTL: settings.useropsTTL })
      limits.requireRoom(op, facts, replaced)
      const entry = newEntry(candidate)
      if (facts.paymaster !== undefined) {
        const { address, deposit } = facts.paymaster
        const freed = replaced !== undefined && paymasterOf(replaced.op) === address ? replaced.cost : 0n
        ledger.requireCovered(address, deposit, entry.cost, freed)
      }
      const evicted =
        replaced === undefined && byHash.size >= settings.maxPoolSize ? leastWorthy(entry) : undefined
      const effects = [
        ...(replaced === undefined ? [] : remove(replaced, { kind: 'replaced', by: candidate.hash })),
        ...(evicted === undefined ? [] : remove(evicted, { kind: 'dropped', reason: evictionReason })),
        ...add(entry, candidate.chainSequence),
      ]
      countSeen(entry)
      return effects
    },

    restore(candidate, now) {
      clock = now
      if (byHash.has(candidate.hash)) return []
      const { sender, nonce } = candidate.op
      const present = lines.get(lineKey(sender, nonce))?.at(nonceSequence(nonce))
      if (present !== undefined && isInFlight(present)) return []
      const replaced = present === undefined ? [] : remove(present, { kind: 'replaced', by: candidate.hash })
      return [...replaced, ...add(newEntry(candidate), candidate.chainSequence)]
    },

    select(options) {
      return selectBundle(
        ready.best(options.baseFee),
        (entry) => lineOf(entry.op),
        (sender) => inFlight.has(sender),
        limits,
        options,
      )
    },

    bundle: (hashes, bundleId) =>
      known(hashes).flatMap((entry) =>
        isWaiting(entry) ? [enter(entry, { kind: 'bundled', bundleId })] : [],
      ),

    submitted: (hashes, bundleId, transactionHash) =>
      known(hashes).map((entry) => enter(entry, { kind: 'submitted', bundleId, transactionHash })),

    release: (hashes) =>
      known(hashes).flatMap((entry) => {
        if (isWaiting(entry)) return []
        const effect = enter(entry, { kind: 'pending' })
        return [effect, ...sortLine(lineOf(entry.op))]
      }),

    failed(hash, reason, now) {
      clock = now
      const entry = byHash.get(hash)
      if (entry === undefined || isInFlight(entry)) return []
      entry.failures += 1
      entry.retryAt = now + backOff(entry.failures)
      return entry.failures > mostFailures ? remove(entry, { kind: 'dropped', reason }) : []
    },

    drop(hash, reason) {
      const entry = byHash.get(hash)
      return entry === undefined || isInFlight(entry) ? [] : remove(entry, { kind: 'dropped', reason })
    },

    mined(operations, inclusion) {
      blockNumber = inclusion.blockNumber
      return operations.flatMap(({ hash, sender, nonce }) => {
        const own = byHash.get(hash)
        if (own !== undefined) {
          countIncluded(own)
          forget(own)
        }
        const line = lines.get(lineKey(sender, nonce))
        if (line === undefined) return []
        if (nonceSequence(nonce) >= line.next) line.next = nonceSequence(nonce) + 1n
        const late = [...line.entries()].filter(({ op }) => nonceSequence(op.nonce) < line.next)
        const reason = {
          code: -32000,
          message: 'its nonce was used by another operation',
          data: { by: hash },
        }
        const dropped = late.flatMap((entry) => remove(entry, { kind: 'dropped', reason }))
        return [...dropped, ...tidy(lineKey(sender, nonce), line)]
      })
    },

    unmined(operations) {
      for (const { sender, nonce, hash } of operations) {
        const line = lines.get(lineKey(sender, nonce))
        if (line !== undefined && nonceSequence(nonce) < line.next) {
          unready(line)
          line.next = nonceSequence(nonce)
        }
        for (const address of included.get(hash) ?? []) reputation.excluded(address)
        included.delete(hash)
      }
    },

    revalidated(hash, facts) {
      const entry = byHash.get(hash)
      if (entry === undefined) return
      entry.facts = facts
      if (isWaiting(entry)) deadlines.set(entry)
    },

    tick(time) {
      clock = time.now
      blockNumber = time.blockNumber
      reputation.decay(time.now)
      const outlived = [...throttled].filter(
        (entry) => isWaiting(entry) && entry.lastBlock !== undefined && time.blockNumber > entry.lastBlock,
      )
      const reason = droppedFor(
        `of a throttled entity, and not included within ${throttledLiveBlocks} blocks`,
      )
      return [
        ...deadlines.due(time.now).flatMap((entry) => remove(entry, endingOf(entry, settings).state)),
        ...outlived.flatMap((entry) =>
          byHash.has(entry.hash) ? remove(entry, { kind: 'dropped', reason }) : [],
        ),
      ]
    },

    clear() {
      const reason = droppedFor('the mempool was cleared')
      return [...byHash.values()].flatMap((entry) =>
        entry.state.kind === 'submitted' ? [] : remove(entry, { kind: 'dropped', reason }),
      )
    },

    setDeposit(paymaster, deposit) {
      const message = `paymaster ${paymaster} cannot pay for all of its pending operations any more`
      const reason = { code: -32508, message, data: { paymaster } }
      const uncovered = ledger.setDeposit(paymaster, deposit)
      return uncovered.flatMap((entry) => remove(entry, { kind: 'dropped', reason }))
    },
  }

  function newEntry({ op, hash, facts, receivedAt }: PoolCandidate): Entry {
    arrivals += 1
    return {
      ...{ op, hash, facts, receivedAt },
      state: { kind: 'queued' },
      failures: 0,
      cost: requiredPrefund(op),
      arrival: arrivals,
      retryAt: 0,
      queuedAt: clock,
      lastBlock: limits.throttledEntities(op).length > 0 ? blockNumber + throttledLiveBlocks : undefined,
    }
  }

  function lineOf({ sender, nonce }: UserOperation): Line {
    return lines.get(lineKey(sender, nonce)) ?? new Line(nonceSequence(nonce))
  }

  function known(hashes: readonly Hash[]): Entry[] {
    return hashes.flatMap((hash) => byHash.get(hash) ?? [])
  }

  function requireNear(nonce: bigint, next: bigint): void {
    const furthest = next + BigInt(settings.maxNonceGap)
    if (nonceSequence(nonce) <= furthest) return
    const key = nonceKey(nonce) << 64n
    throw new NonceGapTooWide(key | next, key | furthest)
  }

  /** Who makes room for `entry`: the furthest nonce of the line that pays least. @throws PoolFull */
  function leastWorthy(entry: Entry): Entry {
    const least = worth.least()
    if (least === undefined || byWorth(least, entry) >= 0) throw new PoolFull()
    const last = lineOf(least.op).last()
    return last !== undefined && isWaiting(last) ? last : least
  }

  function countSeen(entry: Entry): void {
    const { op, facts } = entry
    for (const entity of entitiesOf(op)) {
      if (entity.kind !== 'account' || limits.isTrusted(entity, facts.sender)) reputation.seen(entity.address)
    }
  }

  function countIncluded({ op, hash }: Entry): void {
    const addresses = entitiesOf(op).map(({ address }) => address)
    for (const address of addresses) reputation.included(address)
    included.set(hash, addresses)
    const [oldest] = included.keys()
    if (included.size > inclusionsKept && oldest !== undefined) included.delete(oldest)
  }

  function add(entry: Entry, chainSequence: bigint): PoolEffect[] {
    const { op, hash, facts } = entry
    const key = lineKey(op.sender, op.nonce)
    const line = lines.get(key) ?? new Line(chainSequence)
    lines.set(key, line)
    unready(line)
    if (nonceSequence(op.nonce) < line.next) line.next = nonceSequence(op.nonce)
    line.put(entry)
    byHash.set(hash, entry)
    limits.add(op)
    worth.insert(entry)
    deadlines.set(entry)
    if (entry.lastBlock !== undefined) throttled.add(entry)
    if (facts.paymaster !== undefined) ledger.reserve(facts.paymaster.address, facts.paymaster.deposit, entry)
    const effects = sortLine(line)
    return effects.some((effect) => effect.hash === hash) ? effects : [effectOf(entry), ...effects]
  }

  /** Leaves without a word. */
  function forget(entry: Entry): void {
    const { op, hash } = entry
    const line = lineOf(op)
    unready(line)
    line.remove(entry)
    byHash.delete(hash)
    limits.remove(op)
    worth.delete(entry)
    deadlines.delete(entry)
    throttled.delete(entry)
    if (isInFlight(entry)) countInFlight(op.sender, -1)
    const paymaster = paymasterOf(op)
    if (paymaster !== undefined) ledger.release(paymaster, entry)
  }

  function remove(entry: Entry, state: OperationState): PoolEffect[] {
    forget(entry)
    const key = lineKey(entry.op.sender, entry.op.nonce)
    const rest = tidy(key, lineOf(entry.op))
    return [{ hash: entry.hash, sender: entry.op.sender, state }, ...rest]
  }

  /** After somebody left: an empty line is forgotten, in another the turns may have changed. */
  function tidy(key: LineKey, line: Line): PoolEffect[] {
    if (line.size > 0) return sortLine(line)
    lines.delete(key)
    return []
  }

  /** Who waits for an earlier nonce and who does not, and whose turn it is. */
  function sortLine(line: Line): PoolEffect[] {
    unready(line)
    const contiguous = new Set(line.contiguous())
    const effects: PoolEffect[] = []
    for (const entry of line.entries()) {
      if (isInFlight(entry)) continue
      const kind = contiguous.has(entry) ? 'pending' : 'queued'
      if (entry.state.kind !== kind) effects.push(enter(entry, { kind }))
    }
    const head = line.head()
    if (head?.state.kind === 'pending') {
      isReady.add(head)
      ready.insert(head)
    }
    return effects
  }

  function unready(line: Line): void {
    const head = line.head()
    if (head !== undefined && isReady.delete(head)) ready.delete(head)
  }

  /** Every change of state, and what hangs on it. */
  function enter(entry: Entry, state: PooledState): PoolEffect {
    const before = isInFlight(entry)
    if (!before) unready(lineOf(entry.op))
    entry.state = state
    const after = isInFlight(entry)
    if (!before && after) {
      countInFlight(entry.op.sender, 1)
      worth.delete(entry)
      deadlines.delete(entry)
    }
    if (before && !after) {
      countInFlight(entry.op.sender, -1)
      worth.insert(entry)
    }
    if (state.kind === 'queued') entry.queuedAt = clock
    if (!after) deadlines.set(entry)
    return effectOf(entry)
  }

  function countInFlight(sender: Address, by: 1 | -1): void {
    const count = (inFlight.get(sender) ?? 0) + by
    if (count === 0) inFlight.delete(sender)
    else inFlight.set(sender, count)
  }
}

const effectOf = ({ hash, op, state }: Entry): PoolEffect => ({ hash, sender: op.sender, state })

const evictionReason = {
  code: -32005,
  message: 'evicted: the mempool is full of operations that pay more',
  data: { hint: 'send it again with higher fees' },
}
