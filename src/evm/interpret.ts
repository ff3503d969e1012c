import type { Frame } from './frame.ts'
import { Halt, halt } from './halt.ts'
import type { Entry, Table } from './opcodes/table.ts'
import { StepsExceeded } from './outcome.ts'

/** What an opcode needs before it runs: stack items, room on the stack, and its static gas. */
export function admit(frame: Frame, entry: Entry): void {
  const size = frame.stack.length
  if (size < entry.pops) halt('stack-underflow')
  if (size > entry.room) halt('stack-overflow')
  frame.gas -= entry.gas
  if (frame.gas < 0) halt('out-of-gas')
}

/**
 * Runs a frame until it has an outcome or waits for a child. Beyond its end, code is STOP.
 * @throws StepsExceeded, and what the state and the observer throw
 */
export function interpret(frame: Frame, table: Table): void {
  const { bytes } = frame.program
  const { budget } = frame.shared
  frame.isRunning = true
  try {
    while (frame.isRunning) {
      if (budget.steps <= 0) throw new StepsExceeded('the run took more steps than it was given')
      budget.steps -= 1
      const entry = table[bytes[frame.pc] ?? 0] as Entry
      admit(frame, entry)
      entry.run(frame)
      frame.pc += 1
    }
  } catch (thrown) {
    if (!(thrown instanceof Halt)) throw thrown
    frame.end({ kind: 'halted', reason: thrown.reason })
  }
}
