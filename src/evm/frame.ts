import { type Budget, spend, stepsAFrame } from './budget.ts'
import type { Environment } from './environment.ts'
import { memoryGas, wordsIn } from './gas.ts'
import { halt } from './halt.ts'
import { Memory } from './memory.ts'
import type { FrameKind, FrameView } from './observer.ts'
import type { Outcome } from './outcome.ts'
import type { Program } from './program.ts'
import type { State } from './state/state.ts'
import { addressMask, type Word } from './word.ts'

const noBytes = new Uint8Array()

/** What all frames of a run share. */
export type Shared = { readonly state: State; readonly environment: Environment; readonly budget: Budget }

/** What a call or a creation asks for. */
export type FrameRequest = {
  readonly kind: FrameKind
  readonly caller: Word
  readonly address: Word
  readonly codeAddress: Word
  /** wei */
  readonly value: bigint
  readonly input: Uint8Array
  readonly isStatic: boolean
  readonly program: Program
  /** What it has, the stipend with it. */
  readonly gas: number
  /** Where in the caller's memory its output goes, as far as it fits. */
  readonly output: { readonly offset: number; readonly size: number }
}

/** A call or creation that runs: from `begin` to its outcome (lifecycle.ts). */
export class Frame implements FrameView {
  readonly kind: FrameKind
  readonly depth: number
  readonly caller: Word
  readonly address: Word
  readonly codeAddress: Word
  readonly value: bigint
  readonly input: Uint8Array
  readonly isStatic: boolean
  readonly program: Program
  readonly output: FrameRequest['output']
  readonly gasLimit: number

  readonly state: State
  readonly environment: Environment
  readonly stack: Word[] = []
  readonly ram = new Memory()
  pc = 0
  gas: number
  /** Of the call or creation that ended last. */
  returnData: Uint8Array = noBytes
  /** Cleared by what ends the frame, or makes it wait for a child. */
  isRunning = true
  outcome: Outcome | undefined
  /** To be run before the next opcode. */
  child: Frame | undefined
  /** The state's mark before it began. */
  snapshot = 0
  #inputView: DataView | undefined

  constructor(
    request: FrameRequest,
    readonly shared: Shared,
    readonly parent: Frame | undefined,
  ) {
    this.kind = request.kind
    this.depth = parent === undefined ? 0 : parent.depth + 1
    this.caller = request.caller
    this.address = request.address
    this.codeAddress = request.codeAddress
    this.value = request.value
    this.input = request.input
    this.isStatic = request.isStatic
    this.program = request.program
    this.output = request.output
    this.gasLimit = request.gas
    this.gas = request.gas
    this.state = shared.state
    this.environment = shared.environment
  }

  /** Made when it is first asked for. */
  get inputView(): DataView {
    this.#inputView ??= new DataView(this.input.buffer, this.input.byteOffset)
    return this.#inputView
  }

  get isCreation(): boolean {
    return this.kind === 'create' || this.kind === 'create2'
  }

  /** There is one: the interpreter has counted. */
  pop(): Word {
    return this.stack.pop() as Word
  }

  popAddress(): Word {
    return this.pop() & addressMask
  }

  push(word: Word): void {
    this.stack.push(word)
  }

  charge(gas: number): void {
    this.gas -= gas
    if (this.gas < 0) halt('out-of-gas')
  }

  /** Grows memory for `size` bytes at `offset` and charges for it. @returns where they are */
  reserve(offset: Word, size: number): number {
    if (size === 0) return 0
    const start = Number(offset)
    const end = start + size
    if (end > this.ram.size) {
      const words = wordsIn(end)
      this.charge(memoryGas(words) - memoryGas(this.ram.size / 32))
      this.ram.grow(words * 32)
    }
    return start
  }

  /** STATICCALL, EIP-214 */
  mustNotBeStatic(): void {
    if (this.isStatic) halt('static-write')
  }

  end(outcome: Outcome): void {
    this.outcome = outcome
    this.isRunning = false
  }

  /** Begins `request` once the opcode is over. */
  await(request: FrameRequest): void {
    spend(this.shared.budget, stepsAFrame)
    this.child = new Frame(request, this.shared, this)
    this.isRunning = false
  }

  get code(): Uint8Array {
    return this.program.bytes
  }

  get stackSize(): number {
    return this.stack.length
  }

  get memorySize(): number {
    return this.ram.size
  }

  peek(depth: number): Word {
    return this.stack[this.stack.length - 1 - depth] as Word
  }

  memory(offset: number, size: number): Uint8Array {
    const bytes = new Uint8Array(size)
    bytes.set(this.ram.window(offset, Math.max(0, Math.min(size, this.ram.size - offset))))
    return bytes
  }
}
