/** Rounds that count. */
const rounds = 21
/** Rounds that are thrown away: what runs thousands of opcodes a call takes some hundred calls to be compiled. */
const warmUpRounds = 15
/** Calls of a side in a round: long enough for the clock, short enough to share the machine's mood. */
const calls = 20

/** ms a call, round by round. */
export type Samples = readonly number[]

/** Each side a few calls, then the next one, so that drift of the machine hits all of them. */
export async function inTurns<Side extends string>(
  sides: Readonly<Record<Side, () => Promise<unknown>>>,
): Promise<Readonly<Record<Side, Samples>>> {
  const names = Object.keys(sides) as Side[]
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, number[]>
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    for (const name of names) {
      const ms = await timed(sides[name])
      if (round >= warmUpRounds) samples[name].push(ms)
    }
  }
  return samples
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  for (let call = 0; call < calls; call += 1) await task()
  return (performance.now() - started) / calls
}

export function median(values: Samples): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/**
 * The fastest round of the one to the fastest of the other. On a busy machine the median is no fair judge between a
 * side whose round fits between two interruptions and one whose round does not.
 */
export function fastestRatio(above: Samples, below: Samples): number {
  return Math.min(...above) / Math.min(...below)
}

/** The median of the ratios of the rounds. */
export function medianRatio(above: Samples, below: Samples): number {
  return median(above.map((value, index) => value / (below[index] ?? Number.NaN)))
}
