/** Blocks that the estimate looks back on: enough to be steady, few enough to follow a change. */
const samples = 12

/** Before so many the block time is not known. */
export const leastSightings = 4

/** An interval further from the median than this share makes a chain unsteady (mining on demand, outages). */
const tolerance = 0.6

/** A head and when it was seen, in ms since 1970. */
export type Sighting = { number: number; at: number }

/**
 * s between blocks, as the median of recent intervals; `undefined` until three are seen, or while they are too
 * uneven to aim at the next block.
 * @param sightings oldest first; several blocks may lie between two of them
 */
export function learnBlockTime(sightings: readonly Sighting[]): number | undefined {
  const recent = sightings.slice(-samples - 1)
  const intervals = recent.slice(1).flatMap(({ number, at }, index) => {
    const before = recent[index]
    // A reorganisation is no step forward.
    return before === undefined || number <= before.number
      ? []
      : [(at - before.at) / (number - before.number)]
  })
  if (intervals.length < leastSightings - 1) return undefined
  const sorted = intervals.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const steady = intervals.filter((interval) => Math.abs(interval - median) <= median * tolerance)
  return steady.length >= intervals.length * 0.75 ? median / 1000 : undefined
}

/** The sightings to keep after one more. */
export function withSighting(sightings: readonly Sighting[], sighting: Sighting): readonly Sighting[] {
  return [...sightings, sighting].slice(-samples - 1)
}
