import { type Address, concatHex, encodeAbiParameters, type Hex, slice } from 'viem'

/** Unix seconds. A `validUntil` of zero is for ever. */
export type Window = { validUntil: number; validAfter: number }

/**
 * What a token paymaster charges: `exchangeRate` of the token's smallest units for one native coin, times
 * `priceMarkup`, of which 1e6 is 100 %. With `feed` the chain's price feeds name the rate and `exchangeRate` the limit.
 */
export type TokenTerms = Window & {
  price: 'signed' | 'feed'
  token: Address
  exchangeRate: bigint
  priceMarkup: number
}

const signatureBytes = 65

/** A signature of nobody that is as long, as dear and as well-formed as a real one. */
export const stubSignature: Hex = `0x${'a1'.repeat(32)}${'5c'.repeat(32)}1c`

const windowParameters = [{ type: 'uint48' }, { type: 'uint48' }] as const
const tokenParameters = [
  ...windowParameters,
  { type: 'address' },
  { type: 'address' },
  { type: 'uint256' },
  { type: 'uint32' },
] as const
const priceSources = { signed: '0x00', feed: '0x01' } as const
const reserved: Address = '0x0000000000000000000000000000000000000000'

/** paymasterData of the sponsor and verifying paymasters: abi(validUntil, validAfter) ‖ signature. */
export function encodeWindowData({ validUntil, validAfter }: Window, signature = stubSignature): Hex {
  return concatHex([encodeAbiParameters(windowParameters, [validUntil, validAfter]), signature])
}

/** paymasterData of the token paymasters: price source ‖ abi(terms) ‖ signature. */
export function encodeTokenData(terms: TokenTerms, signature = stubSignature): Hex {
  const { validUntil, validAfter, token, exchangeRate, priceMarkup } = terms
  const values = [validUntil, validAfter, token, reserved, exchangeRate, priceMarkup] as const
  return concatHex([priceSources[terms.price], encodeAbiParameters(tokenParameters, values), signature])
}

/** The same paymasterData with another signature. */
export function withSignature(data: Hex, signature: Hex): Hex {
  return concatHex([withoutSignature(data), signature])
}

/** What is signed of paymasterData or paymasterAndData: all but the signature at its end. */
export function withoutSignature(data: Hex): Hex {
  return slice(data, 0, -signatureBytes)
}
