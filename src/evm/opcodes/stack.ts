import { gas } from '../gas.ts'
import { constantAt } from '../program.ts'
import type { Word } from '../word.ts'
import { type Handler, type Operation, operation, pushes } from './operation.ts'

const push =
  (width: number): Handler =>
  (frame) => {
    frame.stack.push(constantAt(frame.program, frame.pc, width))
    frame.pc += width
  }

/** Copies the item that is `depth` deep, 1 for the top. */
const duplicate =
  (depth: number): Handler =>
  ({ stack }) => {
    stack.push(stack[stack.length - depth] as Word)
  }

/** Exchanges the top with the item that is `depth` below it. */
const exchange =
  (depth: number): Handler =>
  ({ stack }) => {
    const top = stack.length - 1
    const below = stack[top - depth] as Word
    stack[top - depth] = stack[top] as Word
    stack[top] = below
  }

const from1To = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1)

export const stack: readonly Operation[] = [
  /** EIP-3855 */
  operation(
    0x5f,
    'PUSH0',
    gas.base,
    0,
    1,
    pushes(() => 0n),
  ),
  ...from1To(32).map((width) => operation(0x5f + width, `PUSH${width}`, gas.veryLow, 0, 1, push(width))),
  ...from1To(16).map((n) => operation(0x7f + n, `DUP${n}`, gas.veryLow, n, n + 1, duplicate(n))),
  ...from1To(16).map((n) => operation(0x8f + n, `SWAP${n}`, gas.veryLow, n + 1, n + 1, exchange(n))),
]
