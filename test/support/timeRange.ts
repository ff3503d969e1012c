/** Validation data (ERC-4337) of somebody who vouches from `validAfter` until `validUntil`, s since 1970. */
export function validBetween(validAfter: number, validUntil: number): bigint {
  return (BigInt(validAfter) << 208n) | (BigInt(validUntil) << 160n)
}
