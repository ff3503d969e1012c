import { createAddress } from './create-address.ts'
import { runnableCode } from './delegation.ts'
import type { Environment } from './environment.ts'
import { Frame, type FrameRequest, type Shared } from './frame.ts'
import { type Budget, interpret } from './interpret.ts'
import { begin, finish, resume } from './lifecycle.ts'
import type { Message } from './message.ts'
import type { Observer } from './observer.ts'
import { type Table, tableOf } from './opcodes/table.ts'
import type { Outcome } from './outcome.ts'
import { programOf } from './program.ts'
import type { State } from './state/state.ts'
import { watched } from './watch.ts'

/** What a message runs on. */
export type Run = {
  readonly message: Message
  readonly state: State
  readonly environment: Environment
  readonly observer?: Observer
  /** Opcodes that it may run, in all frames together. */
  readonly stepLimit: number
}

/**
 * Runs a message. `state` then has what it changed: nothing if it was reverted or halted, or if this throws. Warm,
 * refund and transaction-wide matters are the caller's: nothing is made warm and nothing is paid here.
 * @throws MissingState as `state` does; fetch it and run again
 * @throws Unsupported the chain has what this EVM has not
 * @throws StepsExceeded
 */
export function runMessage({ message, state, environment, observer, stepLimit }: Run): Outcome {
  const shared = { state, environment }
  const table = tableOf(environment.chain)
  const snapshot = state.snapshot()
  try {
    const outermost = new Frame(requestOf(message, shared), shared, undefined)
    return runFrames(outermost, observer === undefined ? table : watched(table, observer), observer, {
      steps: stepLimit,
    })
  } catch (error) {
    state.revert(snapshot)
    throw error
  }
}

/** Frames call each other in this loop rather than on the stack of the host, which hostile code could exhaust. */
function runFrames(outermost: Frame, table: Table, observer: Observer | undefined, budget: Budget): Outcome {
  let frame = outermost
  observer?.enter?.(frame)
  begin(frame)
  for (;;) {
    if (frame.outcome === undefined) interpret(frame, table, budget)
    if (frame.child !== undefined) {
      frame = frame.child
      observer?.enter?.(frame)
      begin(frame)
      continue
    }
    if (frame.outcome === undefined) continue
    const outcome = finish(frame, frame.outcome)
    observer?.leave?.(frame, outcome, frame.gasLimit - (outcome.kind === 'halted' ? 0 : outcome.gasLeft))
    const { parent } = frame
    if (parent === undefined) return outcome
    parent.child = undefined
    resume(parent, frame, outcome)
    frame = parent
  }
}

const noInput = new Uint8Array()
const noOutput = { offset: 0, size: 0 }

function requestOf(message: Message, shared: Shared): FrameRequest {
  const { caller, value, gas } = message
  const common = { caller, value, gas, isStatic: false, output: noOutput }
  if (message.kind === 'call') {
    const { to, input } = message
    const { code } = runnableCode(shared, to)
    return { ...common, kind: 'call', address: to, codeAddress: to, input, program: programOf(code) }
  }
  const address = createAddress(shared.environment.chain.keccak, caller, shared.state.nonce(caller))
  const program = programOf(message.initCode)
  return { ...common, kind: 'create', address, codeAddress: address, input: noInput, program }
}
