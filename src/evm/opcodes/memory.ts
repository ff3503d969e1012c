import { gas, wordsIn } from '../gas.ts'
import { type Handler, type Operation, operation, pushes } from './operation.ts'

const load: Handler = (frame) => {
  const offset = frame.reserve(frame.pop(), 32)
  frame.push(frame.ram.word(offset))
}

const store: Handler = (frame) => {
  const offset = frame.reserve(frame.pop(), 32)
  frame.ram.setWord(offset, frame.pop())
}

const storeByte: Handler = (frame) => {
  const offset = frame.reserve(frame.pop(), 1)
  frame.ram.setByte(offset, Number(frame.pop() & 0xffn))
}

/** EIP-5656 */
const copy: Handler = (frame) => {
  const target = frame.pop()
  const source = frame.pop()
  const size = Number(frame.pop())
  frame.charge(gas.copyWord * wordsIn(size))
  if (size > 0) frame.ram.move(frame.reserve(target, size), frame.reserve(source, size), size)
}

const memorySize = pushes(({ memorySize }) => BigInt(memorySize))

export const memory: readonly Operation[] = [
  operation(0x51, 'MLOAD', gas.veryLow, 1, 1, load),
  operation(0x52, 'MSTORE', gas.veryLow, 2, 0, store),
  operation(0x53, 'MSTORE8', gas.veryLow, 2, 0, storeByte),
  operation(0x59, 'MSIZE', gas.base, 0, 1, memorySize),
  operation(0x5e, 'MCOPY', gas.veryLow, 3, 0, copy, 'cancun'),
]
