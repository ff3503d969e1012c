import type { Precompile } from '../precompile.ts'
import { wordsOf } from './words.ts'

export const identity: Precompile = {
  gas: (input) => 15 + 3 * wordsOf(input),
  run: (input) => input.slice(),
}
