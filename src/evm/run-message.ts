import type { Environment } from './environment.ts'
import type { Message } from './message.ts'
import type { Observer } from './observer.ts'
import { type Outcome, Unsupported } from './outcome.ts'
import type { State } from './state/state.ts'

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
export function runMessage({ message }: Run): Outcome {
  throw new Unsupported(message.kind)
}
