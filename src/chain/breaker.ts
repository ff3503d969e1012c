/** Failures in a row after which a node is left alone. */
const threshold = 3
/** ms; the first pause. Each further one is twice as long, so that a dead node costs next to nothing. */
const firstPause = 1_000
/** ms; the longest pause: a node that is back serves again within this. */
const longestPause = 30_000

/** A circuit breaker as a value: closed lets calls through, open does not, after its pause one probe may. */
export type Breaker = { failures: number; pauses: number; openUntil: number }

export const closedBreaker: Breaker = { failures: 0, pauses: 0, openUntil: 0 }

export const isOpen = (breaker: Breaker, now: number): boolean => now < breaker.openUntil

export const succeeded = (): Breaker => closedBreaker

/** @param retryAfter ms that the node asked for, which opens the breaker at once */
export function failed(breaker: Breaker, now: number, retryAfter?: number): Breaker {
  const failures = breaker.failures + 1
  if (retryAfter === undefined && failures < threshold) return { ...breaker, failures }
  const pause = retryAfter ?? Math.min(longestPause, firstPause * 2 ** breaker.pauses)
  return { failures, pauses: breaker.pauses + 1, openUntil: now + pause }
}
