import { createDeadlines } from './deadlines.ts'
import { createFeeIndex, type FeeSearch } from './fee-index.ts'
import { type Held, isInFlight } from './held.ts'
import { headOf, type Lane } from './lane.ts'

/**
 * The operations whose turn it is, one a lane, by fees. Those that nothing but time keeps back (not valid yet, or
 * backing off after a failed check) sleep apart, so that they are not passed over again with every bundle.
 */
export type Ready = {
  /** Something about the lane changed. */
  refresh(lane: Lane): void
  /** Best first at `baseFee`, those that failed no bundle check. */
  search(baseFee: bigint, times: Times): FeeSearch
  /** Those that failed one. */
  searchSuspects(baseFee: bigint, times: Times): FeeSearch
}

/** s since 1970 of the block, ms since 1970 of now */
type Times = { timestamp: number; now: number }

export function createReady(): Ready {
  const heads = new Map<Lane, Held>()
  const awake = createFeeIndex('best')
  const suspects = createFeeIndex('best')
  /** By validAfter, in s. */
  const tooEarly = createDeadlines()
  /** By the end of their back-off, in ms. */
  const backingOff = createDeadlines()
  let [timestamp, now] = [0, 0]

  return {
    refresh(lane) {
      const listed = heads.get(lane)
      if (listed !== undefined) {
        heads.delete(lane)
        awake.delete(listed)
        suspects.delete(listed)
        tooEarly.set(listed, undefined)
        backingOff.set(listed, undefined)
      }
      const head = headOf(lane)
      if (head === undefined || isInFlight(head)) return
      heads.set(lane, head)
      list(head)
    },

    search(baseFee, times) {
      wake(times)
      return awake.search(baseFee)
    },

    searchSuspects(baseFee, times) {
      wake(times)
      return suspects.search(baseFee)
    },
  }

  function wake(times: Times): void {
    timestamp = Math.max(timestamp, times.timestamp)
    now = Math.max(now, times.now)
    for (const held of tooEarly.due(timestamp - 1)) {
      tooEarly.set(held, undefined)
      list(held)
    }
    for (const held of backingOff.due(now)) {
      backingOff.set(held, undefined)
      list(held)
    }
  }

  function list(held: Held): void {
    const { validAfter } = held.entry.facts
    if (validAfter !== undefined && validAfter >= timestamp) tooEarly.set(held, validAfter)
    else if (held.retryAt > now) backingOff.set(held, held.retryAt)
    else if (held.entry.failures > 0) suspects.add(held)
    else awake.add(held)
  }
}
