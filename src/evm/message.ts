import type { Word } from './word.ts'

/**
 * What starts a run: a call, or a creation as by CREATE, which takes the next nonce of `caller`.
 * Value in wei; gas is what the outermost frame has, nothing is taken off before.
 */
export type Message =
  | {
      readonly kind: 'call'
      readonly caller: Word
      readonly to: Word
      readonly value: bigint
      readonly input: Uint8Array
      readonly gas: number
    }
  | {
      readonly kind: 'create'
      readonly caller: Word
      readonly value: bigint
      readonly initCode: Uint8Array
      readonly gas: number
    }
