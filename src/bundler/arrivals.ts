import type { Head } from '../types/block.ts'

/** Blocks that the estimate looks back on: some of them are seen promptly, and a change of the rhythm is soon over. */
const samples = 12

/** When the newest block came to be, as far as can be told from outside. */
export type Arrivals = {
  /** @param seenAt ms since 1970 */
  note(head: Pick<Head, 'timestamp'>, seenAt: number): void
  /** ms since 1970; 0 before the first block */
  latest(): number
}

/**
 * Blocks are seen late, by the time between polls and whatever else is going on; on a steady chain the promptest of
 * the last ones tells for all how long after its timestamp a block is there. Clocks need not agree.
 */
export function createArrivals(): Arrivals {
  let delays: readonly number[] = []
  let newest = 0
  return {
    note({ timestamp }, seenAt) {
      newest = timestamp * 1000
      delays = [...delays, seenAt - newest].slice(-samples)
    },
    latest: () => (delays.length === 0 ? 0 : newest + Math.min(...delays)),
  }
}
