import type { Address } from 'viem'
import type { PriceSource } from '../prices/price-source.ts'
import { exchangeRate } from './rate.ts'
import type { TokenSettings } from './token.ts'

/** The tokens of one chain, with their prices. */
export type Tokens = {
  readonly all: readonly TokenSettings[]
  /** In any case. */
  bySymbol(symbol: string): TokenSettings | undefined
  byAddress(address: Address): TokenSettings | undefined
  /** Smallest units for one native coin. @throws PriceUnavailable */
  rateOf(token: TokenSettings): Promise<bigint>
}

export function createTokens(
  { tokens }: { tokens: readonly TokenSettings[] },
  modules: { nativePrice: PriceSource; openPrice: (token: TokenSettings) => PriceSource },
): Tokens {
  const prices = new Map(tokens.map((token) => [token.address, modules.openPrice(token)]))
  return {
    all: tokens,
    bySymbol: (symbol) => tokens.find((token) => token.symbol.toLowerCase() === symbol.toLowerCase()),
    byAddress: (address) => tokens.find((token) => token.address === address),
    async rateOf(token) {
      const source = prices.get(token.address) ?? modules.openPrice(token)
      const [native, price] = await Promise.all([modules.nativePrice(), source()])
      return exchangeRate(native, price, token.decimals)
    },
  }
}
