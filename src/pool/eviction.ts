import { LimitExceeded } from '../base/errors.ts'
import { effectivePriorityFee } from '../types/userop-cost.ts'
import { createFeeIndex } from './fee-index.ts'
import { type Held, isInFlight } from './held.ts'
import { type Lane, tailOf } from './lane.ts'
import { retryAfterMs } from './retry.ts'

/** -32005: full of operations that pay as much or more. */
export class PoolFull extends LimitExceeded {
  constructor() {
    super('the mempool is full', { retryAfterMs, hint: 'higher fees than the lowest ones in it make room' })
  }
}

/** Who goes when the pool is full: only the last nonce of a lane, so that no gap opens, and nothing in flight. */
export type Eviction = {
  /** Something about the lane changed. */
  refresh(lane: Lane): void
  /** The one that pays least at `baseFee`, and less than `newcomer`. @throws PoolFull when there is none */
  makeRoom(newcomer: Held, baseFee: bigint): Held
}

export function createEviction(): Eviction {
  const tails = new Map<Lane, Held>()
  const index = createFeeIndex('worst')

  return {
    refresh(lane) {
      const listed = tails.get(lane)
      const tail = tailOf(lane)
      const next = tail === undefined || isInFlight(tail) ? undefined : tail
      if (listed === next) return
      if (listed !== undefined) index.delete(listed)
      if (next === undefined) {
        tails.delete(lane)
        return
      }
      tails.set(lane, next)
      index.add(next)
    },

    makeRoom(newcomer, baseFee) {
      const search = index.search(baseFee)
      // Its own lane's last one comes before it, and without that one it could not go either.
      let weakest = search.next()
      if (weakest?.lane === newcomer.lane) weakest = search.next()
      const isBetter =
        weakest !== undefined &&
        effectivePriorityFee(newcomer.op, baseFee) > effectivePriorityFee(weakest.op, baseFee)
      if (weakest === undefined || !isBetter) throw new PoolFull()
      return weakest
    },
  }
}
