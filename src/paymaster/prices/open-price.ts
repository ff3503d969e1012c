import type { Address } from 'viem'
import type { NodeClient } from '../../types/ports/chain.ts'
import { cachedPrice } from './cached.ts'
import { chainlinkPrice } from './chainlink.ts'
import { httpPrice } from './http.ts'
import type { PriceSource } from './price-source.ts'

/** Where a coin's or token's price in US dollars comes from. Ages in s, times in ms. */
export type PriceSettings =
  /** 10⁻⁸ US dollars, for ever: stablecoins, test chains, or an operator's own rate */
  | { kind: 'fixed'; usd: bigint }
  | { kind: 'chainlink'; feed: Address; maxAge: number }
  | { kind: 'http'; url: string; id: string; maxAge: number; timeoutMs: number }

/** The source that the settings name, asked at most every few seconds. */
export function openPrice(
  settings: PriceSettings,
  modules: { node: NodeClient; now: () => number },
): PriceSource {
  switch (settings.kind) {
    case 'fixed':
      return async () => ({ usd: settings.usd, at: Math.floor(modules.now() / 1000) })
    case 'chainlink':
      return cachedPrice(chainlinkPrice(settings, modules), modules.now)
    case 'http':
      return cachedPrice(httpPrice(settings, modules), modules.now)
  }
}
