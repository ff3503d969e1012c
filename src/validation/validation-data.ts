import { type Address, getAddress, numberToHex, zeroAddress } from 'viem'

/** What an account or a paymaster answered to validation (ERC-4337): who vouches, and when it is valid. */
export type ValidationData = {
  authorizer: 'valid' | 'signature-failed' | { aggregator: Address }
  /** s since 1970; `undefined` is without bound */
  validAfter: number | undefined
  validUntil: number | undefined
}

export const alwaysValid: ValidationData = {
  authorizer: 'valid',
  validAfter: undefined,
  validUntil: undefined,
}

const uint48 = 2n ** 48n - 1n

/** authorizer (160 bits) ‖ validUntil (48) ‖ validAfter (48), lowest first. */
export function parseValidationData(packed: bigint): ValidationData {
  return {
    authorizer: authorizerOf(numberToHex(packed & (2n ** 160n - 1n), { size: 20 })),
    ...timeRangeOf(packed >> 208n, (packed >> 160n) & uint48),
  }
}

export function authorizerOf(address: Address): ValidationData['authorizer'] {
  if (address === zeroAddress) return 'valid'
  return BigInt(address) === 1n ? 'signature-failed' : { aggregator: getAddress(address) }
}

/** 0, and for the end the highest value too, mean "without bound". */
export function timeRangeOf(
  validAfter: bigint,
  validUntil: bigint,
): Pick<ValidationData, 'validAfter' | 'validUntil'> {
  return {
    validAfter: validAfter === 0n ? undefined : Number(validAfter),
    validUntil: validUntil === 0n || validUntil === uint48 ? undefined : Number(validUntil),
  }
}

/** When both are valid. */
export function intersect(
  a: ValidationData,
  b: ValidationData,
): Pick<ValidationData, 'validAfter' | 'validUntil'> {
  const later = Math.max(a.validAfter ?? 0, b.validAfter ?? 0)
  const sooner = Math.min(a.validUntil ?? Number.POSITIVE_INFINITY, b.validUntil ?? Number.POSITIVE_INFINITY)
  return {
    validAfter: later === 0 ? undefined : later,
    validUntil: Number.isFinite(sooner) ? sooner : undefined,
  }
}
