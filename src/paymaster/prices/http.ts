import { describe } from '../../base/errors.ts'
import { redactUrl } from '../../base/log.ts'
import { parseAmount } from '../policies/amounts.ts'
import { type PriceSource, priceDecimals } from './price-source.ts'
import { PriceUnavailable } from './price-unavailable.ts'

/**
 * An HTTP endpoint with answers in the shape of CoinGecko's simple price: `{<id>: {usd, last_updated_at?}}`.
 * @param options.maxAge s
 * @param options.timeoutMs ms
 */
export function httpPrice(
  { url, id, maxAge, timeoutMs }: { url: string; id: string; maxAge: number; timeoutMs: number },
  { now }: { now: () => number },
): PriceSource {
  const named = `price of ${id} at ${redactUrl(url)}`
  return async () => {
    const entry = await fetchEntry(url, id, timeoutMs).catch((error) => {
      throw new PriceUnavailable(`${named}: ${describe(error)}`)
    })
    const usd = typeof entry?.usd === 'number' ? inUnits(entry.usd) : undefined
    if (usd === undefined || usd === 0n) throw new PriceUnavailable(`${named}: the answer has none`)
    const at = typeof entry?.last_updated_at === 'number' ? entry.last_updated_at : Math.floor(now() / 1000)
    if (at + maxAge < now() / 1000) throw new PriceUnavailable(`${named} is stale`)
    return { usd, at }
  }
}

type Entry = { usd?: unknown; last_updated_at?: unknown } | undefined

async function fetchEntry(url: string, id: string, timeoutMs: number): Promise<Entry> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  const body = (await response.json()) as { [id: string]: Entry } | null
  return body?.[id]
}

/** What is finer than the unit is cut off. */
function inUnits(price: number): bigint | undefined {
  const parsed = parseAmount(price.toFixed(priceDecimals), { shown: priceDecimals, kept: priceDecimals })
  return 'value' in parsed ? parsed.value : undefined
}
