import type { Address } from 'viem'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { SponsorInfo } from '../types/ports/paymaster.ts'
import type { PriceSettings } from './prices/open-price.ts'
import type { TokenSettings } from './tokens/token.ts'

/** One chain's paymaster service. Addresses are checksummed. */
export type PaymasterSettings = {
  chainId: number
  /** EntryPoints that the chain has, the preferred one first. */
  versions: readonly EntryPointVersion[]
  /** Who is named to wallets. */
  sponsor: SponsorInfo
  /** The operator's shared paymaster, of EntryPoint 0.6. */
  sponsorPaymaster: Address | undefined
  /** The operator's, by version. */
  tokenPaymasters: Readonly<Partial<Record<EntryPointVersion, Address>>>
  tokens: readonly TokenSettings[]
  /** What tokens are charged, with 1e6 for 100 % of the cost. */
  priceMarkup: number
  nativePrice: PriceSettings
}
