import type { Crypto } from '../crypto/crypto.ts'
import type { Precompile } from '../precompile.ts'

/** EIP-152: rounds (4 bytes) ‖ h (64) ‖ m (128) ‖ t (16) ‖ is last (1) */
const inputSize = 213
const lastAt = 212

export function blake2f({ blake2f }: Crypto): Precompile {
  return {
    gas: (input) => (input.length === inputSize ? roundsOf(input) : 0),
    run(input) {
      const last = input[lastAt]
      if (input.length !== inputSize || (last !== 0 && last !== 1)) return undefined
      return blake2f(roundsOf(input), input.subarray(4, lastAt), last === 1)
    },
  }
}

function roundsOf(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset, 4).getUint32(0)
}
