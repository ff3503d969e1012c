import type { Frame } from '../frame.ts'
import type { Hardfork } from '../hardfork.ts'
import type { Word } from '../word.ts'

/** Runs when there are enough stack items, room for those pushed, and the static gas is paid. */
export type Handler = (frame: Frame) => void

/** A row of the opcode table. */
export type Operation = {
  readonly opcode: number
  readonly name: string
  /** static; what depends on operands or state the handler charges */
  readonly gas: number
  /** stack items */
  readonly pops: number
  readonly pushes: number
  readonly run: Handler
  readonly since: Hardfork
}

export function operation(
  opcode: number,
  name: string,
  gas: number,
  pops: number,
  pushes: number,
  run: Handler,
  since: Hardfork = 'shanghai',
): Operation {
  return { opcode, name, gas, pops, pushes, run, since }
}

/** The handler of an opcode that only computes; operands from the top of the stack. */
export const unary =
  (compute: (a: Word) => Word): Handler =>
  ({ stack }) => {
    stack.push(compute(stack.pop() as Word))
  }

export const binary =
  (compute: (a: Word, b: Word) => Word): Handler =>
  ({ stack }) => {
    stack.push(compute(stack.pop() as Word, stack.pop() as Word))
  }

export const ternary =
  (compute: (a: Word, b: Word, c: Word) => Word): Handler =>
  ({ stack }) => {
    stack.push(compute(stack.pop() as Word, stack.pop() as Word, stack.pop() as Word))
  }

/** The handler of an opcode that only pushes what it reads off the frame. */
export const pushes =
  (read: (frame: Frame) => Word): Handler =>
  (frame) => {
    frame.push(read(frame))
  }
