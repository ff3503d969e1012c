import type { Hex } from 'viem'
import type { UserOperation } from './userop.ts'
import { pack06, pack07 } from './userop-pack.ts'

/**
 * ABI encoding of an operation's struct, by hand: every operation is encoded several times on its way (its size, its
 * calldata gas, its simulation, its bundle), and viem takes seven times as long. `bench/encode.ts` measures both,
 * test/unit/types/userop-encode.test.ts holds one against the other.
 *
 * All here is hex without `0x`; a word is 64 digits.
 */

/** A field: a word as it stands, or bytes of any length, which the word in its place points to. */
type Field = string | { bytes: Hex }

const wordDigits = 64

export const word = (value: bigint | number): string => value.toString(16).padStart(wordDigits, '0')
export const addressWord = (address: Hex): string => address.slice(2).toLowerCase().padStart(wordDigits, '0')

/** The length, then the bytes, filled up to whole words. */
function bytesTail(bytes: Hex): string {
  const digits = bytes.length - 2
  const filled = Math.ceil(digits / wordDigits) * wordDigits
  return word(digits / 2) + bytes.slice(2).padEnd(filled, '0')
}

/** Heads, then tails; a head that points counts from the first of the heads. */
function encodeTuple(fields: readonly Field[]): string {
  let heads = ''
  let tails = ''
  for (const field of fields) {
    if (typeof field === 'string') {
      heads += field
      continue
    }
    heads += word((fields.length * wordDigits + tails.length) / 2)
    tails += bytesTail(field.bytes)
  }
  return heads + tails
}

/** A list of dynamic elements: its length, where each begins, counted from behind the length, and the elements. */
export function encodeList(elements: readonly string[]): string {
  let at = elements.length * wordDigits
  let heads = ''
  for (const element of elements) {
    heads += word(at / 2)
    at += element.length
  }
  return word(elements.length) + heads + elements.join('')
}

/** The struct of 0.6. */
export function encode06(op: UserOperation): string {
  const struct = pack06(op)
  return encodeTuple([
    addressWord(struct.sender),
    word(struct.nonce),
    { bytes: struct.initCode },
    { bytes: struct.callData },
    word(struct.callGasLimit),
    word(struct.verificationGasLimit),
    word(struct.preVerificationGas),
    word(struct.maxFeePerGas),
    word(struct.maxPriorityFeePerGas),
    { bytes: struct.paymasterAndData },
    { bytes: struct.signature },
  ])
}

/** PackedUserOperation, from 0.7 on. */
export function encode07(op: UserOperation): string {
  const struct = pack07(op)
  return encodeTuple([
    addressWord(struct.sender),
    word(struct.nonce),
    { bytes: struct.initCode },
    { bytes: struct.callData },
    struct.accountGasLimits.slice(2),
    word(struct.preVerificationGas),
    struct.gasFees.slice(2),
    { bytes: struct.paymasterAndData },
    { bytes: struct.signature },
  ])
}
