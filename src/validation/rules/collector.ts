import type { FrameView, Observer } from '../../evm/observer.ts'
import type { Outcome } from '../../evm/outcome.ts'
import { addressMask, type Word, wordOf } from '../../evm/word.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import { type PhaseStart, phaseStartOf, selectorIn } from './entry-point-frames.ts'
import type { OperationFacts, Parties } from './facts.ts'
import { gasFactsOf } from './gas-marks.ts'
import { balanceOpcodes, callOpcodes, codeOpcodes, environmentOpcodes, opcodes } from './opcodes.ts'
import { type CodeReader, createOperationRecord, type OperationRecord } from './operation-record.ts'
import { createPhaseRecord, type PhaseRecord } from './phase-record.ts'

/** What is validated: simulateValidation of one operation, or handleOps of all of them. */
export type CollectorOptions = {
  version: EntryPointVersion
  /** In the order of the call. */
  operations: readonly Parties[]
}

export type CollectorModules = {
  /** Of the run that is watched. */
  state: CodeReader
  keccak: (bytes: Uint8Array) => Word
}

/** Watches a run whose outermost frame is the EntryPoint's. */
export type Collector = {
  readonly observer: Observer
  /** Of the operations whose validation began, in order; complete when the run has ended. */
  facts(): readonly OperationFacts[]
}

/** A phase that runs. */
type Running = { operation: OperationRecord; phase: PhaseRecord; start: PhaseStart }

export function createCollector(
  { version, operations }: CollectorOptions,
  { state, keccak }: CollectorModules,
): Collector {
  const records: OperationRecord[] = []
  /** gas left at each GAS opcode of the EntryPoint's own */
  const readings: number[] = []
  let validated = 0
  let running: Running | undefined

  /** The EntryPoint is trusted, also where an entity calls it; that it was called is noted by the caller's frame. */
  function isWatched(frame: FrameView, now: Running): boolean {
    return isOfEntity(frame, now) && frame.address !== now.operation.parties.entryPoint
  }

  type Note = (running: Running, frame: FrameView, opcode: number) => void
  const noted =
    (note: Note) =>
    (frame: FrameView, opcode: number): void => {
      if (running !== undefined && isWatched(frame, running)) note(running, frame, opcode)
    }

  function recordAt(index: number): OperationRecord | undefined {
    const known = records[index]
    const parties = operations[index]
    if (known !== undefined || parties === undefined) return known
    const made = createOperationRecord(parties, readings.length, { state })
    records[index] = made
    return made
  }

  function begin(frame: FrameView): void {
    const start = phaseStartOf(version, frame)
    if (start === undefined) return
    const operation = recordAt(start.entity === 'paymaster' ? validated - 1 : validated)
    const address = operation?.parties[start.entity]
    if (operation === undefined || address === undefined) return
    operation.meet(address)
    if (start.entity === 'paymaster') operation.marks.paymasterStart = readings.length
    running = { operation, phase: createPhaseRecord(start.entity, address), start }
  }

  function end({ operation, phase, start }: Running, outcome: Outcome, gasUsed: number): void {
    running = undefined
    operation.add(phase.facts(gasUsed))
    if (start.isValidation) {
      validated += 1
      operation.marks.accountEnd = readings.length
    }
    if (start.entity !== 'paymaster') return
    operation.marks.paymasterEnd = readings.length
    if (outcome.kind === 'returned') operation.contextSize = contextSizeIn(outcome.output)
  }

  const observer: Observer = {
    before: new Map([
      ...[...environmentOpcodes, ...balanceOpcodes].map(
        (opcode) => [opcode, noted(({ phase }, frame) => phase.opcode(opcode, frame.address))] as const,
      ),
      [
        opcodes.GAS,
        (frame) => {
          if (frame.depth === 0) readings.push(frame.gas)
          else if (running !== undefined && isWatched(frame, running)) noteGas(running, frame)
        },
      ],
      [opcodes.SLOAD, noted(storageNote('isRead', 'persistent'))],
      [opcodes.SSTORE, noted(storageNote('isWritten', 'persistent'))],
      [opcodes.TLOAD, noted(storageNote('isRead', 'transient'))],
      [opcodes.TSTORE, noted(storageNote('isWritten', 'transient'))],
      [opcodes.KECCAK256, noted((now, frame) => noteHash(now, frame, keccak))],
      [opcodes.CREATE, noted(({ phase }, frame, opcode) => phase.creation(opcode, frame.address))],
      [opcodes.CREATE2, noted(({ phase }, frame, opcode) => phase.creation(opcode, frame.address))],
      ...[...codeOpcodes].map((opcode) => [opcode, noted(noteCodeUse)] as const),
      ...[...callOpcodes].map((opcode) => [opcode, noted(noteCall)] as const),
    ]),
    enter(frame) {
      if (running === undefined) {
        if (frame.depth === 1) begin(frame)
      } else if (isCreation(frame) && frame.depth > running.start.entityDepth) {
        running.phase.created(frame.address)
      }
    },
    leave(frame, outcome, gasUsed) {
      if (running === undefined) return
      // Also of the EntryPoint's frames: how much gas they are given is their caller's choice.
      if (isOfEntity(frame, running)) noteEnd(running, frame, outcome)
      if (frame.depth === 1) end(running, outcome, gasUsed)
    },
  }

  return {
    observer,
    facts: () =>
      records.map((record) => ({ ...record.facts(), gas: gasFactsOf(version, record.marks, readings) })),
  }
}

function noteGas({ phase }: Running, frame: FrameView): void {
  if (!callOpcodes.has(frame.code[frame.pc + 1] ?? 0)) phase.opcode(opcodes.GAS, frame.address)
}

const storageNote =
  (access: 'isRead' | 'isWritten', kind: 'persistent' | 'transient') =>
  ({ phase }: Running, frame: FrameView): void => {
    if (frame.stackSize > 0) phase.storage(frame.address, frame.peek(0), access, kind)
  }

/** bytes of owner ‖ x in ERC-7562's associated storage */
const ownerAndWord = 64

function noteHash({ operation }: Running, frame: FrameView, keccak: CollectorModules['keccak']): void {
  if (frame.stackSize < 2 || frame.peek(1) !== BigInt(ownerAndWord)) return
  const offset = frame.peek(0)
  if (offset >= BigInt(frame.memorySize)) return
  const bytes = frame.memory(Number(offset), ownerAndWord)
  const owner = wordOf(bytes.subarray(0, 32))
  if (operation.isParty(owner)) operation.hashed(owner, keccak(bytes))
}

function noteUse({ operation, phase }: Running, frame: FrameView, opcode: number, address: Word): void {
  if (phase.isKnownEmpty(opcode, address)) return
  phase.use({ opcode, by: frame.address, address, hasCode: operation.meet(address) })
}

function noteCodeUse(now: Running, frame: FrameView, opcode: number): void {
  if (frame.stackSize < 1) return
  const address = frame.peek(0) & addressMask
  if (address === now.operation.parties.entryPoint) {
    const isZeroCheck = opcode === opcodes.EXTCODESIZE && frame.code[frame.pc + 1] === opcodes.ISZERO
    now.phase.entryPointUse({
      ...{ opcode, by: frame.address, isZeroCheck },
      ...{ inputSize: 0, selector: 0, argument: 0n },
    })
  }
  noteUse(now, frame, opcode, address)
}

function noteCall(now: Running, frame: FrameView, opcode: number): void {
  const hasValue = opcode === opcodes.CALL || opcode === opcodes.CALLCODE
  if (frame.stackSize < (hasValue ? 7 : 6)) return
  const address = frame.peek(1) & addressMask
  if (address === now.operation.parties.entryPoint) {
    const input = callInput(frame, hasValue ? 3 : 2)
    now.phase.entryPointUse({ opcode, by: frame.address, isZeroCheck: false, ...input })
  } else if (hasValue && frame.peek(2) !== 0n) {
    now.phase.valueCall({ opcode, by: frame.address, to: address })
  }
  noteUse(now, frame, opcode, address)
}

/** bytes of a selector and of the argument behind it */
const selectorSize = 4
const headSize = selectorSize + 32

/** Calldata by its offset and size, which lie `depth` items deep in the stack. */
function callInput(frame: FrameView, depth: number) {
  const offset = frame.peek(depth)
  const size = frame.peek(depth + 1)
  const inputSize = Number(size)
  const isInMemory = offset < BigInt(frame.memorySize)
  const head = new Uint8Array(headSize)
  if (isInMemory) head.set(frame.memory(Number(offset), Math.min(inputSize, headSize)))
  return { inputSize, selector: selectorIn(head), argument: wordOf(head.subarray(selectorSize)) }
}

/** The entity's own frame, or one below it. */
const isOfEntity = ({ depth }: FrameView, { start }: Running): boolean => depth >= start.entityDepth

const isCreation = ({ kind }: FrameView): boolean => kind === 'create' || kind === 'create2'

/** OP-020 and OP-013 by how a frame ended; INVALID (0xfe) was noted when it ran. */
function noteEnd({ phase }: Running, frame: FrameView, outcome: Outcome): void {
  if (outcome.kind === 'refused' && outcome.reason === 'depth') phase.exhausted(frame.caller)
  if (outcome.kind !== 'halted') return
  if (outcome.reason === 'out-of-gas') phase.exhausted(frame.address)
  const opcode = frame.code[frame.pc] ?? 0
  if (outcome.reason === 'invalid-opcode' && opcode !== opcodes.INVALID)
    phase.unassigned(opcode, frame.address)
}

/** bytes of `context` in what validatePaymasterUserOp returned: (bytes context, uint256 validationData) */
export function contextSizeIn(output: Uint8Array): number {
  if (output.length < 32) return 0
  const offset = wordOf(output.subarray(0, 32))
  if (offset > BigInt(output.length - 32)) return 0
  const start = Number(offset)
  return Number(wordOf(output.subarray(start, start + 32)))
}
