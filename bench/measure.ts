/** Rounds of a pairing; the two sides take turns, so that drift of the machine hits both. */
const rounds = 21
/** Calls in a round: long enough for the clock, short enough to stay in one time slice. */
const calls = 200

/** µs a call: the median over rounds of each side, and the median of the ratios round by round. */
export type Pairing = { what: string; ours: number; theirs: number; library: string; ratio: number }

export function pair(what: string, ours: () => unknown, library: string, theirs: () => unknown): Pairing {
  const samples = Array.from({ length: rounds + 1 }, () => ({
    ours: timed(ours),
    theirs: timed(theirs),
  })).slice(1)
  return summary(what, library, samples)
}

/** µs a call */
type Sample = { ours: number; theirs: number }

function summary(what: string, library: string, samples: readonly Sample[]): Pairing {
  return {
    what,
    library,
    ours: median(samples.map((sample) => sample.ours)),
    theirs: median(samples.map((sample) => sample.theirs)),
    ratio: median(samples.map((sample) => sample.theirs / sample.ours)),
  }
}

/** Calls in a round of what takes about a millisecond or more. */
const slowCalls = 20
/** Rounds that are thrown away: what runs thousands of opcodes a call takes some hundred calls to be compiled. */
const warmUpRounds = 15

/** As `pair`, for calls of a millisecond and more, which may be promises. */
export async function pairSlow(
  what: string,
  ours: () => Promise<unknown>,
  library: string,
  theirs: () => Promise<unknown>,
): Promise<Pairing> {
  const samples: Sample[] = []
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    samples.push({ ours: await timedSlow(ours), theirs: await timedSlow(theirs) })
  }
  return summary(what, library, samples.slice(warmUpRounds))
}

async function timedSlow(task: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  for (let call = 0; call < slowCalls; call++) await task()
  return ((performance.now() - started) * 1000) / slowCalls
}

function timed(task: () => unknown): number {
  const started = performance.now()
  for (let call = 0; call < calls; call++) task()
  return ((performance.now() - started) * 1000) / calls
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
