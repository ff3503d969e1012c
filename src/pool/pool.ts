import type { Hash } from 'viem'
import type { ErrorWire } from '../base/errors.ts'
import type { PoolCandidate, PoolEffect, PoolPort } from '../types/ports/pool.ts'
import { nonceSequence, type UserOperation } from '../types/userop.ts'
import { backOff } from './back-off.ts'
import { answerable, named, paymasterWithoutGuilt } from './blame.ts'
import { createBook } from './book.ts'
import { type Held, hold, isInFlight, laneOf } from './held.ts'
import { isTrusted, requireOwnStorage, requireRoom, requireWelcome } from './limits.ts'
import { createMemory } from './memory.ts'
import { requireNear, requireUnused } from './nonces.ts'
import type { Participant } from './participant.ts'
import * as reasons from './reasons.ts'
import { requireReplaceable } from './replacement.ts'
import { createReputation } from './reputation.ts'
import { type PoolView, selectBundle, selectSuspect } from './select.ts'
import type { PoolSettings } from './settings.ts'

/** Failed bundle checks, all but the first alone in a bundle, after which an operation is given up. */
const mostFailures = 5
/** ERC-7562, THROTTLED_ENTITY_LIVE_BLOCKS */
const throttledLiveBlocks = 10
/** Included operations whose participants are remembered, for a reorg: more than one can undo. */
const rememberedInclusions = 20_000

/** The mempool of one EntryPoint on one chain: see `PoolPort`. */
export function createPool(settings: PoolSettings): PoolPort {
  /** What callers told last, for changes that do not tell it: ms since 1970, wei, block number. */
  let clock = 0
  let baseFee = 0n
  let newestBlock = 0
  let arrivals = 0
  const book = createBook(settings, () => clock)
  const { byHash, lanes, roster, ledger } = book
  const reputation = createReputation(settings, roster.untried)
  const records = { reputation, roster }
  /** What a selection asks the pool. */
  const view: Omit<PoolView, 'search'> = {
    after: ({ lane, sequence }) => lanes.get(lane)?.members.get(sequence + 1n),
    isTrustedSender: ({ account, entry }) => isTrusted(account, entry.facts, settings, reputation),
    isSenderInFlight: ({ account }) => roster.sentBy(account.id).values().some(isInFlight),
    statusOf: reputation.status,
  }
  const inclusions = createMemory<Hash, readonly Participant[]>(rememberedInclusions)

  return {
    version: settings.version,
    get size() {
      return byHash.size
    },
    get: (hash) => byHash.get(hash)?.entry,
    at: (sender, nonce) => book.at({ sender, nonce })?.entry,
    *entries() {
      for (const { entry } of byHash.values()) yield entry
    },
    paymasters: ledger.paymasters,
    reputation: reputation.views,
    setReputation: reputation.set,
    clearReputation: reputation.clear,

    turn(sender, nonce) {
      const known = lanes.known(laneOf({ sender, nonce }))
      if (known === undefined) return { kind: 'unknown' }
      const sequence = known.next
      if (nonceSequence(nonce) < sequence) return { kind: 'used', sequence }
      return { kind: nonceSequence(nonce) <= known.frontier ? 'next' : 'ahead', sequence }
    },

    precheck(op, now) {
      clock = now
      requireAcceptable(op, lanes.known(laneOf(op))?.frontier)
    },

    admit(candidate, now) {
      clock = now
      if (byHash.has(candidate.hash)) return []
      const { op, facts } = candidate
      const key = laneOf(op)
      const known = lanes.known(key)
      const next = larger(known?.next ?? 0n, candidate.chainSequence)
      requireUnused(op, next)
      const replaced = requireAcceptable(op, larger(known?.frontier ?? 0n, next))
      requireRoom(op, facts, replaced, settings, records)
      requireOwnStorage(op, facts, records)
      const held = newHeld(candidate)
      requireDeposit(held, replaced)
      const isFull = replaced === undefined && byHash.size >= settings.maxPoolSize
      const victim = isFull ? book.eviction.makeRoom(held, baseFee) : undefined

      const effects: PoolEffect[] = []
      if (victim !== undefined) drop(victim, reasons.evicted, effects)
      if (known !== undefined && next > known.next) book.advance(key, next - 1n, undefined, effects)
      book.enter(held, next, effects)
      countSeen(held, replaced)
      return effects
    },

    restore(candidate, now) {
      clock = now
      const { op, hash, chainSequence } = candidate
      if (byHash.has(hash)) return []
      const other = book.at(op)
      if (other !== undefined && isInFlight(other)) {
        return [{ hash, sender: op.sender, state: { kind: 'replaced', by: other.entry.hash } }]
      }
      const effects: PoolEffect[] = []
      const known = lanes.known(laneOf(op))
      book.enter(newHeld(candidate), smaller(known?.next ?? chainSequence, chainSequence), effects)
      return effects
    },

    select(options) {
      clock = options.now
      baseFee = options.baseFee
      const search = book.ready.search(options.baseFee, options)
      return selectBundle(options, { ...view, search }).map(({ entry }) => entry)
    },

    suspect(options) {
      clock = options.now
      baseFee = options.baseFee
      const search = book.ready.searchSuspects(options.baseFee, options)
      return selectSuspect(options, { ...view, search })?.entry
    },

    bundle: (hashes, bundleId) =>
      each(hashes, (held, effects) => {
        if (!isInFlight(held)) book.bind(held, { kind: 'bundled', bundleId }, effects)
      }),

    submitted: (hashes, bundleId, transactionHash) =>
      each(hashes, (held, effects) =>
        book.bind(held, { kind: 'submitted', bundleId, transactionHash }, effects),
      ),

    release: (hashes) =>
      each(hashes, (held, effects) => {
        if (isInFlight(held)) book.release(held, effects)
      }),

    failed(hash, reason, now) {
      clock = now
      return each([hash], (held, effects) => {
        const failures = held.entry.failures + 1
        book.update(held, { failures, retryAt: now + backOff(failures) })
        if (failures < mostFailures) return
        const culprit = answerable(held, reason, settings, reputation)
        if (culprit !== undefined) reputation.punish(culprit)
        drop(held, reason, effects)
      })
    },

    throttle(hash, reason) {
      const held = byHash.get(hash)
      const culprit = held === undefined ? undefined : named(held, reason)
      if (culprit !== undefined) reputation.throttle(culprit)
    },

    drop: (hash, reason) =>
      each([hash], (held, effects) => {
        const innocent = paymasterWithoutGuilt(held, reason)
        if (innocent !== undefined) reputation.count(innocent, { seen: -1 })
        const wasNext = lanes.get(held.lane)?.next === held.sequence
        drop(held, reason, effects)
        // The next one here cannot be ahead of the chain, so the chain must be past it.
        if (wasNext && reason.data?.aaCode === 'AA25') {
          book.advance(held.lane, held.sequence, undefined, effects)
        }
      }),

    mined(operations, { blockNumber }) {
      newestBlock = blockNumber
      const effects: PoolEffect[] = []
      for (const used of operations) {
        const held = book.advance(laneOf(used), nonceSequence(used.nonce), used, effects)
        if (held === undefined) continue
        const counted = countedOf(held)
        for (const participant of counted) reputation.count(participant, { included: 1 })
        if (counted.length > 0) inclusions.set(used.hash, counted)
      }
      return effects
    },

    unmined(operations) {
      for (const undone of operations) {
        for (const participant of inclusions.get(undone.hash) ?? []) {
          reputation.count(participant, { included: -1 })
        }
        inclusions.delete(undone.hash)
        book.setBack(laneOf(undone), nonceSequence(undone.nonce))
      }
    },

    revalidated(hash, facts) {
      const held = byHash.get(hash)
      if (held !== undefined) book.update(held, { facts })
    },

    tick({ now, timestamp, blockNumber }) {
      clock = now
      newestBlock = blockNumber
      reputation.decay(now)
      const effects: PoolEffect[] = []
      book.settle(effects)
      for (const held of book.expiries.due(timestamp)) {
        book.end(held, { kind: 'expired', reason: reasons.expired(held.entry) }, effects)
      }
      for (const held of book.patience.due(now)) drop(held, impatience(held), effects)
      for (const id of reputation.suspects()) {
        for (const held of [...roster.sentBy(id), ...roster.helpedBy(id)]) dropOfSuspects(held, effects)
      }
      return effects
    },

    clear: () =>
      each([...byHash.keys()], (held, effects) => {
        if (held.entry.state.kind !== 'submitted') drop(held, reasons.cleared, effects)
      }),

    setDeposit(paymaster, deposit) {
      const effects: PoolEffect[] = []
      for (const held of ledger.setDeposit(paymaster, deposit, baseFee)) {
        drop(held, reasons.uncovered(held), effects)
      }
      return effects
    },
  }

  function each(
    hashes: readonly Hash[],
    task: (held: Held, effects: PoolEffect[]) => void,
  ): readonly PoolEffect[] {
    const effects: PoolEffect[] = []
    for (const hash of hashes) {
      const held = byHash.get(hash)
      if (held !== undefined) task(held, effects)
    }
    return effects
  }

  function drop(held: Held, reason: ErrorWire, effects: PoolEffect[]): void {
    book.end(held, { kind: 'dropped', reason }, effects)
  }

  function newHeld(candidate: PoolCandidate): Held {
    arrivals += 1
    const block = Math.max(newestBlock, candidate.facts.block.number)
    return hold(candidate, { arrival: arrivals, block, now: clock })
  }

  /** All that needs no facts. Gives back the one that `op` would replace. @throws TandemError */
  function requireAcceptable(op: UserOperation, frontier: bigint | undefined): Held | undefined {
    const replaced = book.at(op)
    requireWelcome(op, replaced, records)
    if (replaced !== undefined) requireReplaceable(replaced, op, { now: clock, ttl: settings.useropsTTL })
    else if (frontier !== undefined) requireNear(op, frontier, settings.maxNonceGap)
    return replaced
  }

  /** @throws DepositTooLow */
  function requireDeposit({ entry, cost }: Held, replaced: Held | undefined): void {
    const { paymaster, block } = entry.facts
    if (paymaster === undefined) return
    // Facts from before the newest block know less than what was told with that block.
    const told = block.number < newestBlock ? ledger.deposit(paymaster.address) : undefined
    ledger.requireCovered(paymaster.address, told ?? paymaster.deposit, cost, replaced)
  }

  /** Who is answerable by reputation: helpers always, the account when it is staked (ERC-7562, entities). */
  function countedOf({ account, helpers, entry }: Held): readonly Participant[] {
    return isTrusted(account, entry.facts, settings, reputation) ? [account, ...helpers] : helpers
  }

  /** GREP-050: who has no part in the replacement does not answer for what was replaced. */
  function countSeen(held: Held, replaced: Held | undefined): void {
    for (const participant of countedOf(held)) reputation.count(participant, { seen: 1 })
    const remaining = new Set(held.helpers.map(({ id }) => id))
    for (const helper of replaced?.helpers ?? []) {
      if (!remaining.has(helper.id)) reputation.count(helper, { seen: -1 })
    }
  }

  function impatience({ entry }: Held): ErrorWire {
    const isOld = clock >= entry.receivedAt + settings.maxPoolAge * 1000
    return isOld ? reasons.tooOld(settings.maxPoolAge) : reasons.nonceGap
  }

  /** GREP-010: nothing of a banned entity stays. GREP-020: of a throttled one not beyond its blocks. */
  function dropOfSuspects(held: Held, effects: PoolEffect[]): void {
    if (isInFlight(held) || !byHash.has(held.entry.hash)) return
    for (const participant of [held.account, ...held.helpers]) {
      const status = reputation.status(participant)
      if (status === 'ok') continue
      if (status === 'throttled' && newestBlock <= held.block + throttledLiveBlocks) continue
      drop(held, reasons.refusedEntity(participant, status), effects)
      return
    }
  }
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
