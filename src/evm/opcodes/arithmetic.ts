import { spend, stepsAGas } from '../budget.ts'
import { gas } from '../gas.ts'
import { byteLength, signed, type Word, wrap } from '../word.ts'
import { binary, type Handler, type Operation, operation, ternary } from './operation.ts'

/** Square and multiply, modulo 2^256. */
function power(base: Word, exponent: Word): Word {
  let result = 1n
  let square = base
  for (let rest = exponent; rest !== 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = wrap(result * square)
    square = wrap(square * square)
  }
  return result
}

/** EIP-160: pays by the length of the exponent. */
const exponentiate: Handler = (frame) => {
  const base = frame.pop()
  const exponent = frame.pop()
  const charge = gas.exponentByte * byteLength(exponent)
  frame.charge(charge)
  spend(frame.shared.budget, charge * stepsAGas)
  frame.push(power(base, exponent))
}

/** Extends the sign of the number that is `size` + 1 bytes long. */
const signExtend = (size: Word, word: Word): Word =>
  size >= 31n ? word : wrap(BigInt.asIntN(8 * (Number(size) + 1), word))

const add = binary((a, b) => wrap(a + b))
const multiply = binary((a, b) => wrap(a * b))
const subtract = binary((a, b) => wrap(a - b))
const divide = binary((a, b) => (b === 0n ? 0n : a / b))
const divideSigned = binary((a, b) => (b === 0n ? 0n : wrap(signed(a) / signed(b))))
const remainder = binary((a, b) => (b === 0n ? 0n : a % b))
const remainderSigned = binary((a, b) => (b === 0n ? 0n : wrap(signed(a) % signed(b))))
const addModulo = ternary((a, b, n) => (n === 0n ? 0n : (a + b) % n))
const multiplyModulo = ternary((a, b, n) => (n === 0n ? 0n : (a * b) % n))

/** Division by zero gives zero. */
export const arithmetic: readonly Operation[] = [
  operation(0x01, 'ADD', gas.veryLow, 2, 1, add),
  operation(0x02, 'MUL', gas.low, 2, 1, multiply),
  operation(0x03, 'SUB', gas.veryLow, 2, 1, subtract),
  operation(0x04, 'DIV', gas.low, 2, 1, divide),
  operation(0x05, 'SDIV', gas.low, 2, 1, divideSigned),
  operation(0x06, 'MOD', gas.low, 2, 1, remainder),
  operation(0x07, 'SMOD', gas.low, 2, 1, remainderSigned),
  operation(0x08, 'ADDMOD', gas.mid, 3, 1, addModulo),
  operation(0x09, 'MULMOD', gas.mid, 3, 1, multiplyModulo),
  operation(0x0a, 'EXP', gas.high, 2, 1, exponentiate),
  operation(0x0b, 'SIGNEXTEND', gas.low, 2, 1, binary(signExtend)),
]
