import { LimitExceeded } from './errors.ts'

/** Tokens that are left, and when that was; ms since 1970. */
export type Bucket = { tokens: number; at: number }

export type Rate = {
  /** tokens a second */
  perSecond: number
  /** tokens that a full bucket holds */
  burst: number
}

/**
 * Takes `amount` tokens. `waitMs` is 0 when they were there, else the time until they are; a bucket nobody knows is
 * full. More than a full bucket holds is taken from a full one, and owed.
 */
export function takeToken(
  bucket: Bucket | undefined,
  { perSecond, burst }: Rate,
  now: number,
  amount = 1,
): { bucket: Bucket; waitMs: number } {
  // A clock that was set back gives nothing and takes nothing.
  const elapsed = bucket === undefined ? 0 : Math.max(0, now - bucket.at)
  const tokens = Math.min(burst, (bucket?.tokens ?? burst) + (elapsed * perSecond) / 1000)
  const needed = Math.min(amount, burst)
  if (tokens >= needed) return { bucket: { tokens: tokens - amount, at: now }, waitMs: 0 }
  return { bucket: { tokens, at: now }, waitMs: Math.ceil(((needed - tokens) * 1000) / perSecond) }
}

/** A rate for each of many keys. */
export type RateLimiter = {
  /** Counts one; gives 0 when it is allowed, else the ms until another would be. */
  take(key: string): number
}

/** Counts a call of an address. @throws LimitExceeded when it has had too many */
export type Admit = (address: string) => void

/** @param limiter `undefined`: everybody is let in */
export function admission(limiter: RateLimiter | undefined): Admit {
  return (address) => {
    const retryAfterMs = limiter?.take(address) ?? 0
    if (retryAfterMs > 0) throw new LimitExceeded('limit exceeded', { retryAfterMs })
  }
}

/** Buckets that are kept: a few MB. Beyond it those are forgotten, and full again, that were idle for longest. */
const mostKeys = 50_000

export function createRateLimiter(
  rate: Rate,
  { now = Date.now, maxKeys = mostKeys }: { now?: () => number; maxKeys?: number } = {},
): RateLimiter {
  /** The one that was used last comes last. */
  const buckets = new Map<string, Bucket>()
  return {
    take(key) {
      const { bucket, waitMs } = takeToken(buckets.get(key), rate, now())
      buckets.delete(key)
      buckets.set(key, bucket)
      if (buckets.size > maxKeys) {
        const [idle = key] = buckets.keys()
        buckets.delete(idle)
      }
      return waitMs
    },
  }
}
