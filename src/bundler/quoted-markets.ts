import type { Market } from '../types/ports/data-fee.ts'

/** More than a chain of four blocks a second has in four minutes; then the oldest is forgotten early. */
const mostMarkets = 1000

/** The markets by which callers were told prices, as long as these hold. */
export type QuotedMarkets = {
  /** @param now ms */
  add(market: Market, now: number): void
  valid(now: number): readonly Market[]
}

export function createQuotedMarkets({ validity }: { /** ms */ validity: number }): QuotedMarkets {
  /** By what they consist of, the one that was told last at the end. */
  const markets = new Map<string, { market: Market; until: number }>()

  return {
    add(market, now) {
      const key = keyOf(market)
      markets.delete(key)
      markets.set(key, { market, until: now + validity })
      forget(now)
    },
    valid(now) {
      forget(now)
      return [...markets.values()].map(({ market }) => market)
    },
  }

  function forget(now: number): void {
    for (const [key, { until }] of markets) {
      if (until > now && markets.size <= mostMarkets) return
      markets.delete(key)
    }
  }
}

const keyOf = ({ quote, data }: Market): string => [...Object.values(quote), ...Object.values(data)].join()
