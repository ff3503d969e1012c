import type { Hash } from 'viem'
import type { PoolEffect, PooledState } from '../types/ports/pool.ts'
import type { OperationState } from '../types/status.ts'
import { nonceSequence, type UserOperation } from '../types/userop.ts'
import type { ValidationFacts } from '../types/verdict.ts'
import { createDeadlines, type Deadlines } from './deadlines.ts'
import { createEviction, type Eviction } from './eviction.ts'
import { type Held, isInFlight, type LaneKey, laneOf } from './held.ts'
import { beyondGap, isBehindGap, join, type Lane, leave, lower, raise } from './lane.ts'
import { createLanes, type Lanes } from './lanes.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { createReady, type Ready } from './ready.ts'
import * as reasons from './reasons.ts'
import { createRoster, type Roster } from './roster.ts'
import type { PoolSettings } from './settings.ts'

/** The operation that used a nonce up on chain. */
type Used = { hash: Hash; nonce: bigint }

/**
 * The operations of the pool and every index on them, kept in step. It knows whose turn it is, and no other rule.
 * What a change did to operations is added to `effects`, in order.
 */
export type Book = {
  readonly byHash: ReadonlyMap<Hash, Held>
  readonly lanes: Pick<Lanes, 'get' | 'known'>
  readonly roster: Omit<Roster, 'add' | 'delete' | 'failed'>
  readonly ledger: Omit<Ledger, 'reserve' | 'release'>
  readonly ready: Omit<Ready, 'refresh'>
  readonly eviction: Pick<Eviction, 'makeRoom'>
  /** Waiting operations by validUntil, in s. */
  readonly expiries: Pick<Deadlines, 'due'>
  /** Waiting operations by when they have waited too long, in ms since 1970. */
  readonly patience: Pick<Deadlines, 'due'>
  at(op: Pick<UserOperation, 'sender' | 'nonce'>): Held | undefined
  /** Takes it in, in the place of the one with its nonce. `next` is where its lane begins when it is new. */
  enter(held: Held, next: bigint, effects: PoolEffect[]): void
  /** It leaves for good; those that came after it are behind a gap then. */
  end(held: Held, state: OperationState, effects: PoolEffect[]): void
  /** Bound to a bundle. */
  bind(held: Held, state: Extract<PooledState, { bundleId: string }>, effects: PoolEffect[]): void
  /** Bound no more. */
  release(held: Held, effects: PoolEffect[]): void
  /** New facts, failures, or a back-off. */
  update(held: Held, change: { facts?: ValidationFacts; failures?: number; retryAt?: number }): void
  /**
   * The chain is past `sequence`. Gives back the operation of that hash, which left without an effect; others with a
   * nonce that is used up are dropped, but without `used` nothing in flight is: its own event is still to come.
   */
  advance(key: LaneKey, sequence: bigint, used: Used | undefined, effects: PoolEffect[]): Held | undefined
  /** A reorg undid what used `sequence`. Those behind it keep their states until `settle`. */
  setBack(key: LaneKey, sequence: bigint): void
  /** Queues what is still behind a gap that a reorg opened. */
  settle(effects: PoolEffect[]): void
}

/** @param clock the newest time that was told, in ms since 1970 */
export function createBook(
  settings: Pick<PoolSettings, 'maxPoolAge' | 'useropsTTL'>,
  clock: () => number,
): Book {
  const byHash = new Map<Hash, Held>()
  const lanes = createLanes()
  const roster = createRoster()
  const ledger = createLedger()
  const ready = createReady()
  const eviction = createEviction()
  const expiries = createDeadlines()
  const patience = createDeadlines()
  const unsettled = new Set<Lane>()

  return {
    ...{ byHash, lanes, roster, ledger, ready, eviction, expiries, patience, end },

    at: (op) => lanes.get(laneOf(op))?.members.get(nonceSequence(op.nonce)),

    enter(held, next, effects) {
      const lane = lanes.open(held.lane, next)
      if (next < lane.next) takeBack(lane, next)
      const replaced = lane.members.get(held.sequence)
      if (replaced !== undefined) {
        forget(replaced)
        effects.push(effectOf(replaced, { kind: 'replaced', by: held.entry.hash }))
      }
      byHash.set(held.entry.hash, held)
      roster.add(held)
      ledger.reserve(held)
      const freed = join(lane, held)
      change(held, turnOf(lane, held), effects)
      sort(lane, freed, effects)
    },

    bind(held, state, effects) {
      change(held, state, effects)
      refresh(lanes.get(held.lane))
    },

    release(held, effects) {
      const lane = lanes.get(held.lane)
      if (lane === undefined) return
      if (held.sequence < lane.next) {
        end(held, { kind: 'dropped', reason: reasons.nonceUsed(held, undefined) }, effects)
        return
      }
      change(held, turnOf(lane, held), effects)
      refresh(lane)
    },

    update(held, { retryAt = held.retryAt, ...changes }) {
      held.entry = { ...held.entry, ...changes }
      held.retryAt = retryAt
      if (held.entry.failures > 0) roster.failed(held)
      watch(held)
      refresh(lanes.get(held.lane))
    },

    advance(key, sequence, used, effects) {
      if (used !== undefined) lanes.used(sequence, key)
      const lane = lanes.get(key)
      if (lane === undefined) return undefined
      const passed = raise(lane, sequence < lane.next ? lane.next : sequence + 1n)
      let found: Held | undefined
      for (const held of passed.used) {
        if (held.entry.hash === used?.hash) {
          found = held
          forget(held)
          leave(lane, held)
        } else if (used !== undefined || !isInFlight(held)) {
          const by = held.op.nonce === used?.nonce ? used.hash : undefined
          end(held, { kind: 'dropped', reason: reasons.nonceUsed(held, by) }, effects)
        }
      }
      sort(lane, passed.freed, effects)
      lanes.close(lane)
      return found
    },

    setBack(key, sequence) {
      lanes.unused(sequence, key)
      const lane = lanes.get(key)
      if (lane === undefined || sequence >= lane.next) return
      takeBack(lane, sequence)
      refresh(lane)
    },

    settle(effects) {
      for (const lane of unsettled) sort(lane, beyondGap(lane), effects)
      unsettled.clear()
    },
  }

  function end(held: Held, state: OperationState, effects: PoolEffect[]): void {
    forget(held)
    effects.push(effectOf(held, state))
    const lane = lanes.get(held.lane)
    if (lane === undefined) return
    sort(lane, leave(lane, held), effects)
    lanes.close(lane)
  }

  function takeBack(lane: Lane, next: bigint): void {
    lower(lane, next)
    unsettled.add(lane)
  }

  /** Out of every index but its lane's. */
  function forget(held: Held): void {
    byHash.delete(held.entry.hash)
    roster.delete(held)
    ledger.release(held)
    expiries.set(held, undefined)
    patience.set(held, undefined)
  }

  /** `moved` may have come to the front, or behind a gap. */
  function sort(lane: Lane, moved: readonly Held[], effects: PoolEffect[]): void {
    for (const held of moved) {
      const turn = turnOf(lane, held)
      if (!isInFlight(held) && held.entry.state.kind !== turn.kind) change(held, turn, effects)
    }
    refresh(lane)
  }

  function refresh(lane: Lane | undefined): void {
    if (lane === undefined) return
    ready.refresh(lane)
    eviction.refresh(lane)
  }

  function change(held: Held, state: PooledState, effects: PoolEffect[]): void {
    held.entry = { ...held.entry, state }
    if (state.kind === 'queued') held.queuedAt = clock()
    watch(held)
    effects.push(effectOf(held, state))
  }

  /** What is in flight waits for its transaction, however long. */
  function watch(held: Held): void {
    const { facts, receivedAt, state } = held.entry
    expiries.set(held, isInFlight(held) ? undefined : facts.validUntil)
    const age = receivedAt + settings.maxPoolAge * 1000
    const gap = state.kind === 'queued' ? held.queuedAt + settings.useropsTTL * 1000 : age
    patience.set(held, isInFlight(held) ? undefined : Math.min(age, gap))
  }
}

const turnOf = (lane: Lane, held: Held): { kind: 'queued' | 'pending' } => ({
  kind: isBehindGap(lane, held) ? 'queued' : 'pending',
})

const effectOf = ({ entry, op }: Held, state: OperationState): PoolEffect => ({
  hash: entry.hash,
  sender: op.sender,
  state,
})
