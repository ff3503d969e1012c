import type { FrameView, Observer } from '../../evm/observer.ts'
import type { Outcome } from '../../evm/outcome.ts'
import type { Word } from '../../evm/word.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Phase } from '../../types/phase.ts'
import type { UserOperation } from '../../types/userop.ts'
import { phaseStartOf } from '../rules/entry-point-frames.ts'
import type { GasFacts } from '../rules/facts.ts'
import { type GasMarks, gasFactsOf } from '../rules/gas-marks.ts'
import { opcodes } from '../rules/opcodes.ts'
import { LeastGas } from './least-gas.ts'

/** One of the EntryPoint's calls for an operation. Gas as its caller sees it. */
export type PhaseRun = {
  readonly outcome: Outcome
  readonly gasUsed: number
  /** With less it would not have gone the same way. */
  readonly leastGas: number
  /** Calls and creations in it, and those of them that failed. */
  readonly frames: number
  readonly failures: number
  /** Some frame in it had too little gas. */
  readonly ranOut: boolean
}

/** What handleOps of one operation did. */
export type HandlingFacts = {
  readonly phases: ReadonlyMap<Phase, PhaseRun>
  /** gas as the EntryPoint measures it, against the limits of the operation */
  readonly validation: GasFacts
  /** gas that the EntryPoint counts in innerHandleOp beside the call and postOp: the operation pays for it, too */
  readonly innerGas: number
}

/** Watches handleOps of one operation. */
export type HandlingWatch = {
  readonly observer: Observer
  /** The phase that runs, and how deep its first frame is. */
  current(): { readonly phase: Phase; readonly depth: number } | undefined
  /** Complete when the run has ended. */
  facts(): HandlingFacts
}

type Open = {
  readonly phase: Phase
  readonly depth: number
  frames: number
  failures: number
  ranOut: boolean
}

export type HandledParties = {
  version: EntryPointVersion
  entryPoint: Word
  sender: Word
  /** Whether it has callData. */
  executes: boolean
}

export function handledParties(op: UserOperation): HandledParties {
  return {
    version: op.version,
    entryPoint: BigInt(entryPoints[op.version].address),
    sender: BigInt(op.sender),
    executes: op.callData !== '0x',
  }
}

export function createHandlingWatch(parties: HandledParties): HandlingWatch {
  const phases = new Map<Phase, PhaseRun>()
  const marks: GasMarks = {
    start: 0,
    accountEnd: undefined,
    paymasterStart: undefined,
    paymasterEnd: undefined,
  }
  /** gas left at each GAS opcode of the EntryPoint's own */
  const readings: number[] = []
  /** The same in innerHandleOp, which counts from the first to the last. */
  const innerReadings: number[] = []
  const least = new LeastGas()
  let open: Open | undefined

  function begin(frame: FrameView): void {
    const phase = phaseOf(frame, parties, phases)
    if (phase === undefined) return
    if (phases.size === 0) marks.start = readings.length
    if (phase === 'paymaster') marks.paymasterStart = readings.length
    open = { phase, depth: frame.depth, frames: 0, failures: 0, ranOut: false }
  }

  function end(
    { phase, frames, failures, ranOut }: Open,
    run: Pick<PhaseRun, 'outcome' | 'gasUsed' | 'leastGas'>,
  ) {
    open = undefined
    phases.set(phase, { ...run, outcome: kept(run.outcome), frames, failures, ranOut })
    if (phase === 'validate') marks.accountEnd = readings.length
    if (phase === 'paymaster') marks.paymasterEnd = readings.length
  }

  return {
    observer: {
      before: new Map([
        [
          opcodes.GAS,
          (frame) => {
            if (frame.depth === 0) readings.push(frame.gas)
            else if (isInner(frame, parties)) innerReadings.push(frame.gas)
          },
        ],
        [opcodes.SSTORE, (frame) => least.store(frame)],
      ]),
      enter(frame) {
        least.enter(frame)
        if (open === undefined) begin(frame)
        if (open !== undefined) open.frames += 1
      },
      leave(frame, outcome, gasUsed) {
        const leastGas = least.leave(frame, gasUsed)
        if (open === undefined) return
        if (outcome.kind !== 'returned') open.failures += 1
        if (outcome.kind === 'halted' && outcome.reason === 'out-of-gas') open.ranOut = true
        if (frame.depth === open.depth) end(open, { outcome, gasUsed, leastGas })
      },
    },
    current: () => open,
    facts: () => ({ phases, validation: gasFactsOf(parties.version, marks, readings), innerGas: innerGas() }),
  }

  function innerGas(): number {
    const [first = 0] = innerReadings
    return first - (innerReadings.at(-1) ?? 0) - gasOf('execute') - gasOf('postOp')
  }

  function gasOf(phase: Phase): number {
    return phases.get(phase)?.gasUsed ?? 0
  }
}

/** Of a frame that is in no phase. */
function phaseOf(
  frame: FrameView,
  { version, entryPoint, sender, executes }: HandledParties,
  done: ReadonlyMap<Phase, PhaseRun>,
): Phase | undefined {
  if (frame.caller !== entryPoint || frame.kind !== 'call' || frame.address === entryPoint) return undefined
  if (frame.depth === 1) {
    const start = phaseStartOf(version, frame)
    if (start === undefined) return undefined
    if (start.entityDepth === 2) return 'create'
    return start.entity === 'paymaster' ? 'paymaster' : 'validate'
  }
  if (frame.depth !== 2) return undefined
  return executes && !done.has('execute') && frame.address === sender ? 'execute' : 'postOp'
}

/** innerHandleOp, the only call that the EntryPoint makes to itself. */
const isInner = ({ depth, address, caller }: FrameView, { entryPoint }: HandledParties): boolean =>
  depth === 1 && address === entryPoint && caller === entryPoint

/** Outputs are memory of the frame: a copy stays. */
function kept(outcome: Outcome): Outcome {
  return 'output' in outcome ? { ...outcome, output: outcome.output.slice() } : outcome
}
