import type { Budget } from './budget.ts'
import { createAddress } from './create-address.ts'
import { runnableCode } from './delegation.ts'
import type { Environment } from './environment.ts'
import { Frame, type FrameRequest, type Shared } from './frame.ts'
import type { Message } from './message.ts'
import type { Observer } from './observer.ts'
import { tableOf } from './opcodes/table.ts'
import type { Outcome } from './outcome.ts'
import { programOf } from './program.ts'
import { runFrames } from './run-frames.ts'
import type { State } from './state/state.ts'
import { watched } from './watch.ts'

/** What a message runs on. */
export type Run = {
  readonly message: Message
  readonly state: State
  readonly environment: Environment
  readonly observer?: Observer
  /** What it may take, in all frames together; what it took is gone from it. */
  readonly budget: Budget
}

/**
 * Runs a message. `state` then has what it changed: nothing if it was reverted or halted, or if this throws. Warm,
 * refund and transaction-wide matters are the caller's: nothing is made warm and nothing is paid here.
 * @throws MissingState as `state` does; fetch it and run again
 * @throws Unsupported the chain has what this EVM has not
 * @throws StepsExceeded
 */
export function runMessage({ message, state, environment, observer, budget }: Run): Outcome {
  const shared = { state, environment, budget }
  const plain = tableOf(environment.chain)
  const table = observer === undefined ? plain : watched(plain, observer)
  const snapshot = state.snapshot()
  try {
    const outermost = new Frame(requestOf(message, shared), shared, undefined)
    return runFrames(outermost, table, observer)
  } catch (error) {
    state.revert(snapshot)
    throw error
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
