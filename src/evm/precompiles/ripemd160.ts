import type { Precompile } from '../precompile.ts'
import { wordsOf } from './words.ts'

export const ripemd160: Precompile = {
  gas: (input) => 600 + 120 * wordsOf(input),
  run(input) {
    const output = new Uint8Array(32)
    output.set(Bun.CryptoHasher.hash('ripemd160', input), 12)
    return output
  },
}
