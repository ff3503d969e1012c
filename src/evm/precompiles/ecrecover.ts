import { bytesOfWord, padded, wordAt } from '../crypto/bytes.ts'
import type { Crypto } from '../crypto/crypto.ts'
import type { Precompile } from '../precompile.ts'

const none = new Uint8Array(0)

/** digest ‖ v ‖ r ‖ s, v being 27 or 28; no output for what nobody signed. */
export function ecrecover({ recoverAddress }: Crypto): Precompile {
  return {
    gas: () => 3000,
    run(input) {
      const [digest, signature] = [padded(input, 0, 32), padded(input, 64, 64)]
      const v = wordAt(padded(input, 32, 32))
      if (v !== 27n && v !== 28n) return none
      const address = recoverAddress(digest, signature, v === 27n ? 0 : 1)
      return address === undefined ? none : bytesOfWord(address)
    },
  }
}
