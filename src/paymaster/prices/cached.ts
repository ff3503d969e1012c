import type { Price, PriceSource } from './price-source.ts'

/** ms; prices move little in this time, and a sponsor's load would otherwise be a feed's load */
const keepMs = 10_000

/** Asks the source again when its last answer is older than a few seconds; those who ask at once share the question. */
export function cachedPrice(source: PriceSource, now: () => number): PriceSource {
  let known: { price: Price; askedAt: number } | undefined
  let asking: Promise<Price> | undefined

  async function ask(): Promise<Price> {
    const askedAt = now()
    try {
      const price = await source()
      known = { price, askedAt }
      return price
    } finally {
      asking = undefined
    }
  }

  return async () => {
    if (known !== undefined && now() - known.askedAt < keepMs) return known.price
    asking ??= ask()
    return asking
  }
}
