import type { Frame } from '../frame.ts'
import { gas } from '../gas.ts'
import { halt } from '../halt.ts'
import type { Word } from '../word.ts'
import { type Handler, type Operation, operation, pushes } from './operation.ts'

const noBytes = new Uint8Array()

function jumpTo(frame: Frame, target: Word): void {
  const place = Number(target)
  if (frame.program.jumpTargets[place] !== 1) halt('invalid-jump')
  // The interpreter goes on to the next byte.
  frame.pc = place - 1
}

const jump: Handler = (frame) => jumpTo(frame, frame.pop())

const jumpIf: Handler = (frame) => {
  const target = frame.pop()
  if (frame.pop() !== 0n) jumpTo(frame, target)
}

const stop: Handler = (frame) => frame.end({ kind: 'returned', output: noBytes, gasLeft: frame.gas })

/** RETURN and REVERT (EIP-140) */
const endAs =
  (kind: 'returned' | 'reverted'): Handler =>
  (frame) => {
    const start = frame.pop()
    const size = Number(frame.pop())
    const offset = frame.reserve(start, size)
    frame.end({ kind, output: frame.ram.window(offset, size), gasLeft: frame.gas })
  }

const pop: Handler = (frame) => frame.pop()
const programCounter = pushes(({ pc }) => BigInt(pc))
const gasLeft = pushes((frame) => BigInt(frame.gas))
const jumpDestination: Handler = () => {}
const invalid: Handler = () => halt('invalid-opcode')

export const flow: readonly Operation[] = [
  operation(0x00, 'STOP', 0, 0, 0, stop),
  operation(0x50, 'POP', gas.base, 1, 0, pop),
  operation(0x56, 'JUMP', gas.mid, 1, 0, jump),
  operation(0x57, 'JUMPI', gas.high, 2, 0, jumpIf),
  operation(0x58, 'PC', gas.base, 0, 1, programCounter),
  operation(0x5a, 'GAS', gas.base, 0, 1, gasLeft),
  operation(0x5b, 'JUMPDEST', gas.jumpDestination, 0, 0, jumpDestination),
  operation(0xf3, 'RETURN', 0, 2, 0, endAs('returned')),
  operation(0xfd, 'REVERT', 0, 2, 0, endAs('reverted')),
  /** EIP-141 */
  operation(0xfe, 'INVALID', 0, 0, 0, invalid),
]
