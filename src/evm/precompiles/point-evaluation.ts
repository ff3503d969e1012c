import { bytesOfWord, wordAt } from '../crypto/bytes.ts'
import type { Crypto } from '../crypto/crypto.ts'
import { blsOrder } from '../crypto/kzg.ts'
import type { Precompile } from '../precompile.ts'

/** EIP-4844: versioned hash (32 bytes) ‖ z (32) ‖ y (32) ‖ commitment (48) ‖ proof (48) */
const inputSize = 192
const versionOfKzg = 0x01
const fieldElementsPerBlob = 4096n

export function pointEvaluation({ verifyKzgProof }: Crypto): Precompile {
  const output = Uint8Array.of(...bytesOfWord(fieldElementsPerBlob), ...bytesOfWord(blsOrder))
  return {
    gas: () => 50_000,
    run(input) {
      if (input.length !== inputSize) return undefined
      const [commitment, proof] = [input.subarray(96, 144), input.subarray(144)]
      const versionedHash = new Uint8Array(32)
      Bun.SHA256.hash(commitment, versionedHash)
      versionedHash[0] = versionOfKzg
      if (wordAt(versionedHash) !== wordAt(input)) return undefined
      return verifyKzgProof(commitment, wordAt(input, 32), wordAt(input, 64), proof)
        ? output.slice()
        : undefined
    },
  }
}
