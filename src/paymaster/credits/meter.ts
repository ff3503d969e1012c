import type { Context } from '../../base/context.ts'
import { describe, LimitExceeded } from '../../base/errors.ts'
import { type Bucket, takeToken } from '../../base/rate.ts'
import type { ApiKey } from '../../types/paymaster/tenant.ts'
import type { Meter } from '../../types/ports/meter.ts'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'

/** A meter that outlives a restart. */
export type StoredMeter = Meter & {
  /**
   * Writes what was spent since the last time, all keys in one commit: metering costs no write a call. A crash forgets
   * what was spent since. Never throws: what could not be written is written the next time.
   */
  save(): Promise<void>
}

/** With what the store has of this month. */
export async function openMeter(
  modules: Context & { store: PaymasterStorePort; now: () => number },
): Promise<StoredMeter> {
  const { store, now, log, metrics } = modules
  const charged = metrics.counter('credits_charged_total', 'Credits that were charged.')
  const refused = metrics.counter('credits_refused_total', 'Calls that were refused for lack of credits.', [
    'limit',
  ])
  let month = monthOf(now())
  let spent = new Map((await store.credits({ month })).map((row) => [row.keyId, row.spent]))
  const buckets = new Map<string, Bucket>()
  const unsaved = new Set<string>()

  return {
    charge(key, cost) {
      turnMonth()
      const before = spent.get(key.id) ?? 0
      const { creditsPerMonth, creditsPerSecond } = key
      if (creditsPerMonth !== undefined && before + cost > creditsPerMonth)
        throw limited('month', nextMonth(now()) - now())
      if (creditsPerSecond !== undefined) {
        const rate = { perSecond: creditsPerSecond, burst: creditsPerSecond }
        const { bucket, waitMs } = takeToken(buckets.get(key.id), rate, now(), cost)
        buckets.set(key.id, bucket)
        if (waitMs > 0) throw limited('second', waitMs)
      }
      charged.inc(cost)
      add(key, cost)
      return { cost, remaining: remaining(key) }
    },

    refund(key, cost) {
      turnMonth()
      add(key, -Math.min(cost, spent.get(key.id) ?? 0))
      const bucket = buckets.get(key.id)
      if (bucket !== undefined) buckets.set(key.id, { ...bucket, tokens: bucket.tokens + cost })
    },

    remaining(key) {
      turnMonth()
      return remaining(key)
    },

    async save() {
      if (unsaved.size === 0) return
      const keys = [...unsaved]
      unsaved.clear()
      const rows = keys.map((keyId) => ({ keyId, month, spent: spent.get(keyId) ?? 0 }))
      try {
        await store.saveCredits(rows)
      } catch (error) {
        for (const keyId of keys) unsaved.add(keyId)
        log.warn('credits not stored', { error: describe(error) })
      }
    },
  }

  function remaining({ id, creditsPerMonth }: ApiKey): number | undefined {
    return creditsPerMonth === undefined ? undefined : creditsPerMonth - (spent.get(id) ?? 0)
  }

  function add(key: ApiKey, amount: number): void {
    spent.set(key.id, (spent.get(key.id) ?? 0) + amount)
    unsaved.add(key.id)
  }

  /** What was not saved of the old month is given to whoever is near its end. */
  function turnMonth(): void {
    const current = monthOf(now())
    if (current === month) return
    month = current
    spent = new Map()
    unsaved.clear()
  }

  function limited(limit: 'month' | 'second', retryAfterMs: number): LimitExceeded {
    refused.inc({ limit })
    return new LimitExceeded('limit exceeded', { retryAfterMs })
  }
}

/** `2026-11`, UTC */
const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7)

/** ms since 1970 */
function nextMonth(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
