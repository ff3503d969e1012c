import type { Crypto } from '../../evm/crypto/crypto.ts'
import type { Word } from '../../evm/word.ts'

/**
 * Signatures whose signers are remembered: an operation is validated when it comes, and again in its bundle, so this
 * is what is pending on busy chains; about 300 bytes each.
 */
const mostSigners = 4096

/** The same, but that a signature is looked at once: half of a validation is the recovery of one signer. */
export function rememberingSigners(crypto: Crypto): Crypto {
  /** The oldest first. */
  const signers = new Map<string, Word>()
  return {
    ...crypto,
    recoverAddress(digest, signature, yParity) {
      const key = `${digest.toBase64()}${signature.toBase64()}${yParity}`
      const known = signers.get(key)
      if (known !== undefined) return known
      const signer = crypto.recoverAddress(digest, signature, yParity)
      if (signer === undefined) return undefined
      signers.set(key, signer)
      for (const oldest of signers.keys()) {
        if (signers.size <= mostSigners) break
        signers.delete(oldest)
      }
      return signer
    },
  }
}
