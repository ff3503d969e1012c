import type { Word } from './word.ts'

/** LOG0–LOG4 */
export type Log = { readonly address: Word; readonly topics: readonly Word[]; readonly data: Uint8Array }

/** Why a frame ended with all its gas gone. */
export type HaltReason =
  | 'out-of-gas'
  | 'invalid-opcode'
  | 'stack-underflow'
  | 'stack-overflow'
  | 'invalid-jump'
  | 'static-write'
  | 'return-data-out-of-bounds'
  | 'invalid-code'
  | 'code-too-large'
  | 'address-collision'
  | 'precompile-failed'

/** How a frame ended. `gasLeft` in gas; a frame that halted has none. */
export type Outcome =
  | { readonly kind: 'returned'; readonly output: Uint8Array; readonly gasLeft: number }
  | { readonly kind: 'reverted'; readonly output: Uint8Array; readonly gasLeft: number }
  | { readonly kind: 'halted'; readonly reason: HaltReason }
  /** Not run: deeper than 1,024, more value than there is, or no nonce left to create by. The caller keeps the gas. */
  | { readonly kind: 'refused'; readonly reason: 'depth' | 'balance' | 'nonce'; readonly gasLeft: number }

/** The run met what this EVM does not know (an opcode or precompile of a chain's own): its result would be a guess. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported'
  constructor(readonly what: string) {
    super(`unsupported: ${what}`)
  }
}

/** The run took more steps than it was given: hostile code, or a limit that is too low. It is no result. */
export class StepsExceeded extends Error {
  override readonly name = 'StepsExceeded'
}
