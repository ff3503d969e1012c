import type { Price } from '../prices/price-source.ts'
import { PriceUnavailable } from '../prices/price-unavailable.ts'

/**
 * The token's smallest units for one native coin, rounded up.
 * @throws PriceUnavailable for prices that make no rate
 */
export function exchangeRate(native: Price, token: Price, decimals: number): bigint {
  if (native.usd <= 0n || token.usd <= 0n) throw new PriceUnavailable('a price of nothing makes no rate')
  return (native.usd * 10n ** BigInt(decimals) + token.usd - 1n) / token.usd
}
