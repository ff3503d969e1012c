import type { Address, Hex, SignedAuthorization } from 'viem'
import type { Noise } from './noise.ts'
import { rlpItem, rlpList, rlpNumber } from './rlp.ts'

/** bytes that a relayer's values have for long: 16.7 million transactions, 1,099 gwei, 4.2 billion gas */
const nonceBytes = 3
const feeBytes = 5
const gasBytes = 4
const wordBytes = 32

/** EIP-1559, EIP-7702 */
const types = { dynamic: '02', withCode: '04' } as const

const nothing = rlpItem('')

/**
 * The signed transaction that brings a bundle to the chain, with noise for what its relayer will choose. By hand: viem
 * takes fifteen times as long, and every operation is measured when it comes in.
 */
export function bundleTransaction(
  bundle: { chainId: number; to: Address; data: Hex; authorizations: readonly SignedAuthorization[] },
  noise: Noise,
): Uint8Array {
  const { chainId, to, data, authorizations } = bundle
  const noisy = (bytes: number) => rlpItem(noise(bytes).slice(2))
  const signature = () => [rlpNumber(1), noisy(wordBytes), noisy(wordBytes)]
  /** Its signature may be a stand-in for the one that is sent. */
  const authorization = (each: SignedAuthorization) =>
    rlpList([
      ...[rlpNumber(each.chainId), rlpItem(each.address.slice(2)), rlpNumber(each.nonce)],
      ...signature(),
    ])
  const type = authorizations.length === 0 ? types.dynamic : types.withCode
  const body = [
    ...[rlpNumber(chainId), noisy(nonceBytes), noisy(feeBytes), noisy(feeBytes), noisy(gasBytes)],
    ...[rlpItem(to.slice(2)), nothing, rlpItem(data.slice(2)), rlpList([])],
    ...(type === types.withCode ? [rlpList(authorizations.map(authorization))] : []),
    ...signature(),
  ]
  return Buffer.from(type + rlpList(body), 'hex')
}
