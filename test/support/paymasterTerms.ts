import { decodeAbiParameters, type Hex, parseAbiParameters, slice } from 'viem'
import { type TokenTerms, type Window, withoutSignature } from '../../src/contracts/paymaster/terms.ts'

/** What answers.md says of the layouts, read apart from what writes them. */
const windowLayout = parseAbiParameters('uint48 validUntil, uint48 validAfter')
const tokenLayout = parseAbiParameters(
  'uint48 validUntil, uint48 validAfter, address token, address reserved, uint256 exchangeRate, uint32 priceMarkup',
)

/** Of a sponsor or verifying paymaster's paymasterData. */
export function decodeWindowData(data: Hex): Window {
  const [validUntil, validAfter] = decodeAbiParameters(windowLayout, withoutSignature(data))
  return { validUntil, validAfter }
}

/** Of a token paymaster's. */
export function decodeTokenData(data: Hex): TokenTerms {
  const terms = slice(withoutSignature(data), 1)
  const [validUntil, validAfter, token, , exchangeRate, priceMarkup] = decodeAbiParameters(tokenLayout, terms)
  const price = slice(data, 0, 1) === '0x01' ? 'feed' : 'signed'
  return { validUntil, validAfter, price, token, exchangeRate, priceMarkup }
}
