import { Unavailable } from '../../base/errors.ts'
import type { Turns } from '../../base/turns.ts'
import type { State } from '../../evm/state/state.ts'
import type { ValidateJob } from '../../types/ports/simulator.ts'
import type { ValidationFacts, Verdict } from '../../types/verdict.ts'
import type { CallOutcome } from '../eth-call.ts'
import { type Collector, createCollector } from '../rules/collector.ts'
import type { OperationFacts } from '../rules/facts.ts'
import { partiesOf, ruleBrokenBy } from '../rules/judge-rules.ts'
import { scopeOf } from '../rules/scope.ts'
import { type AccountSignature, judge, verdictOf } from '../validate.ts'
import type { LocalBlock, LocalChain } from './local-chain.ts'
import { localView } from './local-view.ts'
import { mustEnd } from './must-end.ts'
import { runValidation, type SimulatedJob } from './run-validation.ts'
import { requireVouchedLimits } from './vouched-limits.ts'

/**
 * Validation at level `full`: what the EntryPoint checks and all rules of ERC-7562, in one run of our own EVM.
 * @throws Unsupported where the chain has what our EVM has not
 */
export function validateLocally(
  job: ValidateJob,
  chain: LocalChain,
  signature?: AccountSignature,
): Promise<Verdict> {
  return verdictOf(async () => {
    const block = await chain.at(job.block)
    await requireVouchedLimits(job.op, chain, block)
    const observed = await observeValidation(job, chain, block, chain.turns.ofJudgements)
    return factsOf(job, observed, chain, block, signature)
  })
}

/** What a run of simulateValidation gave, and what was seen of it as far as it came. */
export type ObservedValidation = { outcome: CallOutcome; observed: OperationFacts | undefined }

/** @throws TandemError of the error table for what the EntryPoint or a rule refuses; Unavailable */
export async function factsOf(
  job: ValidateJob,
  { outcome, observed }: ObservedValidation,
  chain: LocalChain,
  block: LocalBlock,
  signature?: AccountSignature,
): Promise<ValidationFacts> {
  const view = localView(chain, block)
  const facts = await mustEnd(job.op, () => judge(job, { view, simulate: async () => outcome }, signature))
  const { sender, factory, paymaster } = facts
  if (observed === undefined) throw new Unavailable('nothing was observed of a validation that passed')
  const stakes = { account: sender, factory, paymaster }
  const refusal = ruleBrokenBy(job.op, { facts: observed, stakes }, chain)
  if (refusal !== undefined) throw refusal
  return { ...facts, level: 'full', scope: scopeOf(observed) }
}

/** @throws TandemError for a run that does not end; Unavailable, Unsupported */
export async function observeValidation(
  job: SimulatedJob,
  chain: LocalChain,
  block: LocalBlock,
  turn: Turns,
): Promise<ObservedValidation> {
  const { op } = job
  let collector: Collector | undefined
  const watch = (state: State) => {
    const whole = { version: op.version, operations: [partiesOf(op)] }
    collector = createCollector(whole, { state, keccak: chain.rules.keccak })
    return [collector.observer]
  }
  const outcome = await runValidation(job, chain, block, { turn, watch })
  return { outcome, observed: collector?.facts()[0] }
}
