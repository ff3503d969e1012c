import { gas } from '../gas.ts'
import { signed, type Word, wordMask, wrap } from '../word.ts'
import { binary, type Operation, operation, unary } from './operation.ts'

const truth = (holds: boolean): Word => (holds ? 1n : 0n)

/** The byte at `index` from the most significant one. */
const byteAt = (index: Word, word: Word): Word => (index >= 32n ? 0n : (word >> (248n - 8n * index)) & 0xffn)

const shiftLeft = (shift: Word, word: Word): Word => (shift >= 256n ? 0n : wrap(word << shift))
const shiftRight = (shift: Word, word: Word): Word => (shift >= 256n ? 0n : word >> shift)
const shiftRightSigned = (shift: Word, word: Word): Word =>
  wrap(signed(word) >> (shift >= 256n ? 255n : shift))

const leadingZeros = (word: Word): Word => (word === 0n ? 256n : BigInt(256 - word.toString(2).length))

const less = binary((a, b) => truth(a < b))
const greater = binary((a, b) => truth(a > b))
const lessSigned = binary((a, b) => truth(signed(a) < signed(b)))
const greaterSigned = binary((a, b) => truth(signed(a) > signed(b)))
const equal = binary((a, b) => truth(a === b))
const isZero = unary((a) => truth(a === 0n))
const and = binary((a, b) => a & b)
const or = binary((a, b) => a | b)
const xor = binary((a, b) => a ^ b)
const not = unary((a) => wordMask - a)

/** Comparison and bitwise logic. */
export const comparison: readonly Operation[] = [
  operation(0x10, 'LT', gas.veryLow, 2, 1, less),
  operation(0x11, 'GT', gas.veryLow, 2, 1, greater),
  operation(0x12, 'SLT', gas.veryLow, 2, 1, lessSigned),
  operation(0x13, 'SGT', gas.veryLow, 2, 1, greaterSigned),
  operation(0x14, 'EQ', gas.veryLow, 2, 1, equal),
  operation(0x15, 'ISZERO', gas.veryLow, 1, 1, isZero),
  operation(0x16, 'AND', gas.veryLow, 2, 1, and),
  operation(0x17, 'OR', gas.veryLow, 2, 1, or),
  operation(0x18, 'XOR', gas.veryLow, 2, 1, xor),
  operation(0x19, 'NOT', gas.veryLow, 1, 1, not),
  operation(0x1a, 'BYTE', gas.veryLow, 2, 1, binary(byteAt)),
  operation(0x1b, 'SHL', gas.veryLow, 2, 1, binary(shiftLeft)),
  operation(0x1c, 'SHR', gas.veryLow, 2, 1, binary(shiftRight)),
  operation(0x1d, 'SAR', gas.veryLow, 2, 1, binary(shiftRightSigned)),
  /** EIP-7939 */
  operation(0x1e, 'CLZ', gas.low, 1, 1, unary(leadingZeros), 'osaka'),
]
