import type { Frame } from './frame.ts'
import { interpret } from './interpret.ts'
import { begin, finish, resume } from './lifecycle.ts'
import type { Observer } from './observer.ts'
import type { Table } from './opcodes/table.ts'
import type { Outcome } from './outcome.ts'

/**
 * Runs a frame and all that it calls, to its outcome. Frames wait for each other in this loop rather than on the stack
 * of the host, which hostile code could exhaust.
 */
export function runFrames(outermost: Frame, table: Table, observer?: Observer): Outcome {
  let frame = outermost
  start(frame, observer)
  for (;;) {
    if (frame.outcome === undefined) interpret(frame, table)
    const { child, outcome, parent } = frame
    if (child !== undefined) {
      frame = child
      start(frame, observer)
    } else if (outcome !== undefined) {
      const settled = end(frame, outcome, observer)
      if (parent === undefined) return settled
      parent.child = undefined
      resume(parent, frame, settled)
      frame = parent
    }
  }
}

function start(frame: Frame, observer: Observer | undefined): void {
  observer?.enter?.(frame)
  begin(frame)
}

function end(frame: Frame, outcome: Outcome, observer: Observer | undefined): Outcome {
  const settled = finish(frame, outcome)
  const gasLeft = settled.kind === 'halted' ? 0 : settled.gasLeft
  observer?.leave?.(frame, settled, frame.gasLimit - gasLeft)
  return settled
}
