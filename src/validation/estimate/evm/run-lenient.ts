import type { StateSource } from '../../../evm/state-source.ts'
import type { UserOperation } from '../../../types/userop.ts'
import { type EvmWorld, handleOp } from '../../handling/handle-op.ts'
import { createHandlingWatch, type HandlingFacts, handledParties } from '../../handling/handling-watch.ts'
import { type Answers, createLeniency } from '../../handling/lenient.ts'
import type { EvmCallEnd } from '../../handling/run-call.ts'

/** How handleOps of one operation went, as if it were signed and due. */
export type LenientRun = EvmCallEnd & { facts: HandlingFacts; answers: Answers }

/** @throws as `runMessage` */
export function runLenient(op: UserOperation, modules: EvmWorld & { source: StateSource }): LenientRun {
  const watch = createHandlingWatch(handledParties(op))
  const leniency = createLeniency(op.version)
  const end = handleOp(op, { ...modules, watch: () => [watch.observer, leniency.observer] })
  return { ...end, facts: watch.facts(), answers: leniency.answers }
}
