import type { HeadSource } from '../types/ports/chain.ts'

/** ms without an answer of a node after which a chain is not fresh, however slow its blocks; heads are polled more often. */
const unanswered = 15_000
/** Block times without an answer, for slower chains. */
const unansweredBlocks = 5
/** s; a newest block may be as old as this on any chain: leaders miss their turns, and clocks differ. */
const leastAge = 60
/** Block times that a newest block may be old; a chain that stands still for longer, or a node that does, cannot serve. */
const agedBlocks = 20

/**
 * What is wrong with the head that we know, if anything. Its own age counts where blocks come steadily: a chain that
 * mines on demand has none to expect.
 * @param options.maxHeadAge s; `undefined` follows the block time, 0 is never too old
 * @param now ms since 1970
 */
export function headTrouble(
  { current, blockTime, staleness }: HeadSource,
  { maxHeadAge }: { maxHeadAge?: number | undefined },
  now: number,
): string | undefined {
  if (current === undefined) return 'a fresh head'
  if (staleness(now) > Math.max(unanswered, unansweredBlocks * 1000 * (blockTime ?? 0))) return 'a fresh head'
  const most = maxHeadAge ?? (blockTime === undefined ? 0 : Math.max(leastAge, agedBlocks * blockTime))
  const age = Math.floor(now / 1000 - current.timestamp)
  return most > 0 && age > most ? `a newer block: the newest is ${age} s old` : undefined
}
