import { spend, stepsAGas } from '../budget.ts'
import type { Frame } from '../frame.ts'
import { gas, wordsIn } from '../gas.ts'
import { halt } from '../halt.ts'
import { readWord, type Word, wordOf } from '../word.ts'
import { type Handler, type Operation, operation, pushes } from './operation.ts'

/** Copies from bytes that end somewhere into memory: zeros beyond the end. Operands: target, start, size. */
const copyFrom =
  (bytesOf: (frame: Frame) => Uint8Array): Handler =>
  (frame) => {
    const target = frame.pop()
    const start = Number(frame.pop())
    const size = Number(frame.pop())
    frame.charge(gas.copyWord * wordsIn(size))
    const offset = frame.reserve(target, size)
    if (size > 0) frame.ram.write(offset, size, bytesOf(frame), start)
  }

/** The 32 bytes of `input` at `start`; zeros beyond its end. */
function loadWord(frame: Frame, start: Word): Word {
  const { input } = frame
  if (start >= BigInt(input.length)) return 0n
  const offset = Number(start)
  if (offset + 32 <= input.length) return readWord(frame.inputView, offset)
  const rest = input.subarray(offset)
  return wordOf(rest) << BigInt(8 * (32 - rest.length))
}

const callDataLoad: Handler = (frame) => {
  frame.push(loadWord(frame, frame.pop()))
}

const copyReturnData = copyFrom((frame) => frame.returnData)

/** EIP-211: the only copy that must not reach beyond the end. */
const returnDataCopy: Handler = (frame) => {
  if (Number(frame.peek(1)) + Number(frame.peek(2)) > frame.returnData.length)
    halt('return-data-out-of-bounds')
  copyReturnData(frame)
}

const keccak256: Handler = (frame) => {
  const start = frame.pop()
  const size = Number(frame.pop())
  const charge = gas.keccakWord * wordsIn(size)
  frame.charge(charge)
  const offset = frame.reserve(start, size)
  spend(frame.shared.budget, (gas.keccak + charge) * stepsAGas)
  frame.push(frame.environment.chain.keccak(frame.ram.window(offset, size)))
}

const callDataSize = pushes(({ input }) => BigInt(input.length))
const callDataCopy = copyFrom((frame) => frame.input)
const codeSize = pushes(({ code }) => BigInt(code.length))
const codeCopy = copyFrom((frame) => frame.code)
const returnDataSize = pushes(({ returnData }) => BigInt(returnData.length))

/** The bytes a frame has at hand: its input, its code, what its last call returned. */
export const data: readonly Operation[] = [
  operation(0x20, 'KECCAK256', gas.keccak, 2, 1, keccak256),
  operation(0x35, 'CALLDATALOAD', gas.veryLow, 1, 1, callDataLoad),
  operation(0x36, 'CALLDATASIZE', gas.base, 0, 1, callDataSize),
  operation(0x37, 'CALLDATACOPY', gas.veryLow, 3, 0, callDataCopy),
  operation(0x38, 'CODESIZE', gas.base, 0, 1, codeSize),
  operation(0x39, 'CODECOPY', gas.veryLow, 3, 0, codeCopy),
  operation(0x3d, 'RETURNDATASIZE', gas.base, 0, 1, returnDataSize),
  operation(0x3e, 'RETURNDATACOPY', gas.veryLow, 3, 0, returnDataCopy),
]
