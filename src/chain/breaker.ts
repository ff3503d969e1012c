/** Failed requests in a row after which a node is left alone: one or two are bad luck. */
const threshold = 3
/** ms; the first pause. Each further one is twice as long, so that a dead node costs next to nothing. */
const firstPause = 1_000
/** ms; the longest pause of our own: a node that is back serves again within this. */
const longestPause = 30_000
/** ms; the longest pause that a node may ask for: more looks like a mistake, and somebody may have repaired it. */
const longestAskedPause = 120_000

/**
 * A circuit breaker as a value. Closed lets requests through. Open does not; after `until` one check may go through,
 * and its success closes. `asked`: the node itself asked for the pause, so it is not even a last resort.
 */
export type Breaker =
  | { kind: 'closed'; failures: number }
  | { kind: 'open'; until: number; pauses: number; asked: boolean }

export const closed: Breaker = { kind: 'closed', failures: 0 }

export type Standing =
  /** takes requests */
  | 'serving'
  /** its pause is over: a check decides */
  | 'due'
  /** left alone, and tried only when nothing else is left */
  | 'last-resort'
  /** asked to be left alone */
  | 'resting'

export function standingOf(breaker: Breaker, now: number): Standing {
  if (breaker.kind === 'closed') return 'serving'
  if (now >= breaker.until) return 'due'
  return breaker.asked ? 'resting' : 'last-resort'
}

/** A request was answered. What was sent before an outage and comes back during it proves nothing: only a check closes. */
export function answered(breaker: Breaker): Breaker {
  return breaker.kind === 'closed' ? closed : breaker
}

/** A request failed. @param retryAfter ms that the node asked for, which opens at once */
export function failed(breaker: Breaker, now: number, retryAfter?: number): Breaker {
  if (breaker.kind === 'closed' && retryAfter === undefined && breaker.failures + 1 < threshold) {
    return { kind: 'closed', failures: breaker.failures + 1 }
  }
  return tripped(breaker, now, retryAfter)
}

/** Opens, or begins the next, longer pause when the last one is over. */
export function tripped(breaker: Breaker, now: number, retryAfter?: number): Breaker {
  if (retryAfter !== undefined) {
    const until = now + Math.min(retryAfter, longestAskedPause)
    return { kind: 'open', until, pauses: 0, asked: true }
  }
  if (breaker.kind === 'open' && now < breaker.until) return breaker
  const pauses = breaker.kind === 'open' ? breaker.pauses + 1 : 0
  const until = now + Math.min(longestPause, firstPause * 2 ** pauses)
  return { kind: 'open', until, pauses, asked: false }
}
