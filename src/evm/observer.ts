import type { Outcome } from './outcome.ts'
import type { Word } from './word.ts'

/** CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE, CREATE2; the outermost frame is `call` or `create` */
export type FrameKind = 'call' | 'callcode' | 'delegatecall' | 'staticcall' | 'create' | 'create2'

/** A running frame as an observer sees it, one object from `enter` to `leave`. Its bytes are reused: keep copies. */
export type FrameView = {
  readonly kind: FrameKind
  /** 0 for the outermost */
  readonly depth: number
  readonly caller: Word
  /** Whose storage, balance and address it runs with. */
  readonly address: Word
  /** Where its code is from: differs from `address` in callcode and delegatecall. With EIP-7702: the account called. */
  readonly codeAddress: Word
  /** wei */
  readonly value: bigint
  readonly input: Uint8Array
  readonly isStatic: boolean
  readonly code: Uint8Array
  /** Of the opcode that is about to run. */
  readonly pc: number
  /** gas left before the opcode that is about to run */
  readonly gas: number
  /** Stack items from the top: `peek(0)` is the top. Less than 0 items deep is undefined behaviour: see `stackSize`. */
  peek(depth: number): Word
  readonly stackSize: number
  /**
   * Copies memory; zeros beyond its end, which stays where it is. Operands are not paid for yet: `size` must be bounded
   * by whoever asks.
   */
  memory(offset: number, size: number): Uint8Array
  /** Memory size in bytes. */
  readonly memorySize: number
}

/**
 * Who watches a run. What is not watched costs nothing: only the opcodes named in `before` are slowed down.
 * An observer that throws ends the run with its error.
 */
export type Observer = {
  /** Called before the opcode, even if it then runs out of gas or of stack. */
  before?: ReadonlyMap<number, (frame: FrameView, opcode: number) => void>
  /** Called before every opcode. Slow: for tracing and for tests. */
  step?: (frame: FrameView, opcode: number) => void
  /** A frame begins; precompiles and calls to accounts without code too. */
  enter?: (frame: FrameView) => void
  /** It ends. `gasUsed` in gas, by it and the frames below it. */
  leave?: (frame: FrameView, outcome: Outcome, gasUsed: number) => void
}
