import { TandemError, toWire, Unavailable } from '../../base/errors.ts'
import type { Observer } from '../../evm/observer.ts'
import type { CheckBundleJob } from '../../types/ports/simulator.ts'
import type { BundleVerdict, Drift } from '../../types/verdict.ts'
import { type BundleCall, bundleCall, bundleVerdictOf, readBundleCheck } from '../check-bundle.ts'
import type { CallOutcome } from '../eth-call.ts'
import { type Collector, createCollector } from '../rules/collector.ts'
import type { OperationFacts } from '../rules/facts.ts'
import { driftsOf, type Observed, partiesOf, ruleBrokenInBundle } from '../rules/judge-rules.ts'
import type { AttemptModules } from '../state/attempt.ts'
import { validationBudget } from './budgets.ts'
import { stakesIn } from './entry-point-storage.ts'
import { foreseeBundle } from './foresee.ts'
import type { LocalBlock, LocalChain } from './local-chain.ts'
import { localView } from './local-view.ts'
import { endless } from './must-end.ts'
import { runRequest } from './run-request.ts'

/**
 * All validations of a bundle, one behind the other on the newest state as handleOps does them, with all rules of
 * ERC-7562. What they lead to, the execution, is left to the node: its state may be anywhere, and no rule bounds it.
 * @throws Unsupported where the chain has what our EVM has not
 */
export function checkBundleLocally(job: CheckBundleJob, chain: LocalChain): Promise<BundleVerdict> {
  return bundleVerdictOf(async () => {
    const block = await chain.at(job.block)
    const call = await bundleCall(job, localView(chain, block))
    if (call.kind === 'fails') return call
    const run = await validateAll(job, call, chain, block)
    if (run instanceof TandemError) return { kind: 'fails-whole', error: toWire(run) }
    const { outcome, observed } = run
    const scopes = job.scopes ?? []
    const drifts = observed.flatMap((each, index) => driftsOf(index, scopes[index], each, chain))
    if (outcome !== 'valid') return blamingDrift(readBundleCheck(job, call, outcome), drifts)
    if (observed.length < job.ops.length) throw new Unavailable('not all of a valid bundle was observed')
    for (const [index, each] of observed.entries()) {
      const error = ruleBrokenInBundle(scopes[index], each, chain)
      if (error !== undefined) return { kind: 'fails', index, error: toWire(error) }
    }
    return { kind: 'passes', authorizations: call.authorizations, drifts }
  })
}

/** EREP-055: a paymaster that changed the size of its context answers for a bundle that fails, whoever else failed it. */
export function blamingDrift(verdict: BundleVerdict, drifts: readonly Drift[]): BundleVerdict {
  const drift = drifts.find(({ rule }) => rule === 'EREP-055')
  if (drift === undefined || (verdict.kind !== 'fails' && verdict.kind !== 'fails-whole')) return verdict
  return { kind: 'fails', index: drift.index, error: drift.error }
}

/** The EntryPoint has validated all operations: it says so by its first log, BeforeExecution. */
class ValidationOver extends Error {
  override readonly name = 'ValidationOver'
}

type Validated = { outcome: CallOutcome | 'valid'; observed: readonly Observed[] }

/** @returns an error for a run that has no end, which is nobody's by name; of two halves one has it too */
async function validateAll(
  { version, ops }: CheckBundleJob,
  { request, overrides }: Extract<BundleCall, { kind: 'call' }>,
  { state, rules, turns }: LocalChain,
  { view, header }: LocalBlock,
): Promise<Validated | TandemError> {
  const call = { request, overrides, coinbase: header.coinbase }
  const foresee = () => foreseeBundle(ops, call, { view, state })
  const { entryHash } = state
  const budget = validationBudget(ops.length)
  const attempt = (modules: AttemptModules): Validated => {
    let collector: Collector | undefined
    const outcome = untilExecution(() =>
      runRequest(request, overrides, {
        ...{ ...modules, rules, budget, block: header.environment },
        watch(state) {
          const operations = ops.map(partiesOf)
          collector = createCollector({ version, operations }, { state, keccak: rules.keccak })
          return [collector.observer, endingBeforeExecution]
        },
      }),
    )
    const facts = collector?.facts() ?? []
    const stakesOf = ({ parties }: OperationFacts) =>
      stakesIn(version, parties, { source: modules.source, entryHash })
    return { outcome, observed: facts.map((each) => ({ facts: each, stakes: stakesOf(each) })) }
  }
  return state.run(view, foresee, attempt, { turn: turns.ofJudgements }).catch((error) => {
    const refusal = endless(error)
    if (refusal === undefined) throw error
    return refusal
  })
}

function untilExecution(run: () => CallOutcome): CallOutcome | 'valid' {
  try {
    return run()
  } catch (error) {
    if (error instanceof ValidationOver) return 'valid'
    throw error
  }
}

/** LOG1: a log without arguments. */
const log1 = 0xa1

const endingBeforeExecution: Observer = {
  before: new Map([
    [
      log1,
      ({ depth }) => {
        if (depth === 0) throw new ValidationOver()
      },
    ],
  ]),
}
