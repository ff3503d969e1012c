import type { Precompile } from '../precompile.ts'
import { wordsOf } from './words.ts'

export const sha256: Precompile = {
  gas: (input) => 60 + 12 * wordsOf(input),
  run(input) {
    const output = new Uint8Array(32)
    Bun.SHA256.hash(input, output)
    return output
  },
}
