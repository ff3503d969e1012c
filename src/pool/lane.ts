import type { Held, LaneKey } from './held.ts'
import { ascending, insert, last, type Order, remove, type Tree } from './tree.ts'

/**
 * The operations of one sender and nonce key. Those from `next`, the next sequence on chain, up to `frontier` follow
 * one another without a gap; there is none at `frontier`.
 */
export type Lane = {
  readonly key: LaneKey
  next: bigint
  frontier: bigint
  readonly members: Map<bigint, Held>
  order: Tree<Held, undefined>
}

const order: Order<Held, undefined> = {
  compare: (a, b) => (a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0),
  summarize: () => undefined,
}

export const openLane = (key: LaneKey, next: bigint): Lane => ({
  key,
  next,
  frontier: next,
  members: new Map(),
  order: undefined,
})

/** Nobody else has the sequence of `held`. Gives back who waits for no earlier one any more. */
export function join(lane: Lane, held: Held): readonly Held[] {
  lane.members.set(held.sequence, held)
  lane.order = insert(order, lane.order, held)
  return extend(lane)
}

/** Gives back those that are behind a gap now. */
export function leave(lane: Lane, held: Held): readonly Held[] {
  lane.members.delete(held.sequence)
  lane.order = remove(order, lane.order, held)
  if (held.sequence < lane.next || held.sequence >= lane.frontier) return []
  const cut = run(lane, held.sequence + 1n, lane.frontier)
  lane.frontier = held.sequence
  return cut
}

/** The chain moved on to `next`. `used` are members whose sequence is behind it; `freed` wait no more. */
export function raise(lane: Lane, next: bigint): { used: readonly Held[]; freed: readonly Held[] } {
  lane.next = next
  if (lane.frontier < next) lane.frontier = next
  return { used: behind(lane), freed: extend(lane) }
}

/** A reorg took the chain back to `next`. */
export function lower(lane: Lane, next: bigint): readonly Held[] {
  lane.next = next
  lane.frontier = next
  return extend(lane)
}

/** Members behind the next sequence on chain. */
function behind(lane: Lane): readonly Held[] {
  const used: Held[] = []
  for (const held of ascending(lane.order)) {
    if (held.sequence >= lane.next) break
    used.push(held)
  }
  return used
}

/** Members behind a gap, first to last. */
export function beyondGap(lane: Lane): readonly Held[] {
  return [...ascending(lane.order)].filter((held) => held.sequence > lane.frontier)
}

export const headOf = (lane: Lane): Held | undefined => lane.members.get(lane.next)
export const tailOf = (lane: Lane): Held | undefined => last(lane.order)
export const isBehindGap = (lane: Lane, held: Held): boolean => held.sequence > lane.frontier

function extend(lane: Lane): readonly Held[] {
  const reached = run(lane, lane.frontier, undefined)
  lane.frontier += BigInt(reached.length)
  return reached
}

/** Members that follow one another from `from` on, up to `to`. */
function run(lane: Lane, from: bigint, to: bigint | undefined): readonly Held[] {
  const found: Held[] = []
  for (let sequence = from; to === undefined || sequence < to; sequence++) {
    const held = lane.members.get(sequence)
    if (held === undefined) break
    found.push(held)
  }
  return found
}
