import type { ApiKey } from '../paymaster/tenant.ts'

/** What a metered call cost, for the headers of its answer; `undefined` remaining is without limit. */
export type Charge = { cost: number; remaining: number | undefined }

/** Counts the credits of API keys (answers.md §3). */
export type Meter = {
  /** Takes `cost` credits, or nothing. @throws LimitExceeded with `retryAfterMs` when they are spent */
  charge(key: ApiKey, cost: number): Charge
  /** Gives back what a call of our own fault was charged. */
  refund(key: ApiKey, cost: number): void
  /** What is left of the month; `undefined`: there is no limit. */
  remaining(key: ApiKey): number | undefined
}
