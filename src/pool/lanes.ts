import type { LaneKey } from './held.ts'
import { type Lane, openLane } from './lane.ts'
import { createMemory } from './memory.ts'

/**
 * Keys whose last mined sequence is remembered, with operations here or without: one that was validated before its
 * predecessor was mined may arrive after that, and the next sequence that it brings is old then.
 */
const remembered = 10_000

/** The lanes that have operations, and the next sequences of keys that were used lately. */
export type Lanes = {
  get(key: LaneKey): Lane | undefined
  /** The next sequence on chain and the first one that is neither used nor here; `undefined` when nothing is known. */
  known(key: LaneKey): Pick<Lane, 'next' | 'frontier'> | undefined
  /** The lane of `key`; a new one begins at `next`. */
  open(key: LaneKey, next: bigint): Lane
  /** Forgets a lane that is empty. */
  close(lane: Lane): void
  /** It was mined. */
  used(sequence: bigint, key: LaneKey): void
  /** A reorg undid it. */
  unused(sequence: bigint, key: LaneKey): void
}

export function createLanes(): Lanes {
  const lanes = new Map<LaneKey, Lane>()
  const past = createMemory<LaneKey, bigint>(remembered)

  return {
    get: (key) => lanes.get(key),

    known(key) {
      const next = past.get(key)
      return lanes.get(key) ?? (next === undefined ? undefined : { next, frontier: next })
    },

    open(key, next) {
      const lane = lanes.get(key) ?? openLane(key, next)
      lanes.set(key, lane)
      return lane
    },

    close(lane) {
      if (lane.members.size === 0) lanes.delete(lane.key)
    },

    used(sequence, key) {
      const next = past.get(key) ?? 0n
      past.set(key, next > sequence ? next : sequence + 1n)
    },

    unused(sequence, key) {
      const next = past.get(key)
      if (next !== undefined && next > sequence) past.set(key, sequence)
    },
  }
}
