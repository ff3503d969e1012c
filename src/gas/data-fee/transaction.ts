import { type Address, type Hex, hexToBytes, type SignedAuthorization, serializeTransaction } from 'viem'
import type { Noise } from './noise.ts'

/** bytes that a relayer's values have for long: 16.7 million transactions, 1,099 gwei, 4.2 billion gas */
const nonceBytes = 3
const feeBytes = 5
const gasBytes = 4

/** The signed transaction that brings a bundle to the chain, with noise for what its relayer will choose. */
export function bundleTransaction(
  bundle: { chainId: number; to: Address; data: Hex; authorizations: readonly SignedAuthorization[] },
  noise: Noise,
): Uint8Array {
  const { chainId, to, data, authorizations } = bundle
  const body = {
    ...{ chainId, to, data, nonce: Number(noise(nonceBytes)), gas: BigInt(noise(gasBytes)) },
    // One byte more, since a transaction whose tip is above its maximum is none.
    ...{ maxFeePerGas: BigInt(noise(feeBytes + 1)), maxPriorityFeePerGas: BigInt(noise(feeBytes)) },
  }
  const signature = { r: noise(32), s: noise(32), yParity: 1 }
  const serialized =
    authorizations.length === 0
      ? serializeTransaction({ type: 'eip1559', ...body }, signature)
      : serializeTransaction(
          {
            type: 'eip7702',
            ...body,
            authorizationList: authorizations.map((each) => unsigned(each, noise)),
          },
          signature,
        )
  return hexToBytes(serialized)
}

/** Its signature may be a stand-in for the one that is sent. */
function unsigned({ address, chainId, nonce }: SignedAuthorization, noise: Noise): SignedAuthorization {
  return { address, chainId, nonce, r: noise(32), s: noise(32), yParity: 1 }
}
