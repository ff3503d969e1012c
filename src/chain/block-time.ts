/** Blocks that the estimate looks back on: enough to be steady, few enough to follow a change. */
const samples = 12

/** An interval further from the median than this share makes a chain unsteady (mining on demand, outages). */
const tolerance = 0.6

/**
 * s between blocks, as the median of recent intervals; `undefined` until three are seen, or while they are too
 * uneven to aim at the next block.
 * @param seenAt ms since 1970 at which recent blocks were seen, oldest first
 */
export function learnBlockTime(seenAt: readonly number[]): number | undefined {
  const recent = seenAt.slice(-samples - 1)
  const intervals = recent.slice(1).map((at, index) => at - (recent[index] ?? at))
  if (intervals.length < 3) return undefined
  const sorted = intervals.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const steady = intervals.filter((interval) => Math.abs(interval - median) <= median * tolerance)
  return steady.length >= intervals.length * 0.75 ? median / 1000 : undefined
}
