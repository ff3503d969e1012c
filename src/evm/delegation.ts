import type { Shared } from './frame.ts'
import { isActive } from './hardfork.ts'
import { bytesOf, type Word, wordOf } from './word.ts'

/** EIP-7702: 0xef0100 and an address, as the code of an account. No other code may begin with 0xef (EIP-3541). */
const designatorSize = 23

/** The account whose code runs for the account that has `code`, if that is a delegation designator. */
export function delegateOf(code: Uint8Array): Word | undefined {
  const isDesignator =
    code.length === designatorSize && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00
  return isDesignator ? wordOf(code.subarray(3)) : undefined
}

/** The code that delegates to `delegate`. */
export function designatorOf(delegate: Word): Uint8Array {
  const code = new Uint8Array(designatorSize)
  code.set([0xef, 0x01, 0x00])
  code.set(bytesOf(delegate, 20), 3)
  return code
}

const noCode = new Uint8Array()

/** `delegate`: whose code it is, if the account delegates. */
export type Runnable = { readonly code: Uint8Array; readonly delegate: Word | undefined }

/** The code that runs for an account: its own, or its delegate's. Delegates of delegates are not followed. */
export function runnableCode(
  { state, environment }: Pick<Shared, 'state' | 'environment'>,
  address: Word,
): Runnable {
  const { precompiles, hardfork } = environment.chain
  if (precompiles.has(address)) return { code: noCode, delegate: undefined }
  const code = state.code(address)
  const delegate = isActive('prague', hardfork) ? delegateOf(code) : undefined
  if (delegate === undefined) return { code, delegate }
  return { code: precompiles.has(delegate) ? noCode : state.code(delegate), delegate }
}
