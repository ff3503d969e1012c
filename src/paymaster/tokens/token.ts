import type { Address } from 'viem'
import type { PriceSettings } from '../prices/open-price.ts'

/** A token that the operator's token paymasters of a chain take. */
export type TokenSettings = {
  symbol: string
  /** checksummed */
  address: Address
  decimals: number
  price: PriceSettings
  /** The paymasters have feeds for it and for the native coin: the mode `erc20` charges what those say. */
  onChainFeed: boolean
}
