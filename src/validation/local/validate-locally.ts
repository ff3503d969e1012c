import { Unavailable } from '../../base/errors.ts'
import type { ValidateJob } from '../../types/ports/simulator.ts'
import type { Verdict } from '../../types/verdict.ts'
import type { CallOutcome } from '../eth-call.ts'
import { type Collector, createCollector } from '../rules/collector.ts'
import type { OperationFacts } from '../rules/facts.ts'
import { partiesOf, ruleBrokenBy } from '../rules/judge-rules.ts'
import { scopeOf } from '../rules/scope.ts'
import { simulateValidationCall } from '../simulation.ts'
import { judge, validationOverrides, verdictOf } from '../validate.ts'
import { foreseeValidation } from './foresee.ts'
import type { LocalBlock, LocalChain } from './local-chain.ts'
import { bounded, localView } from './local-view.ts'
import { runRequest } from './run-request.ts'

/**
 * Validation at level `full`: what the EntryPoint checks and all rules of ERC-7562, in one run of our own EVM.
 * @throws Unsupported where the chain has what our EVM has not
 */
export function validateLocally(job: ValidateJob, chain: LocalChain): Promise<Verdict> {
  return verdictOf(async () => {
    const block = await chain.at(job.block)
    const { outcome, observed } = await simulate(job, chain, block)
    const facts = await judge(job, { view: localView(chain, block), simulate: async () => outcome })
    const { sender, factory, paymaster } = facts
    if (observed === undefined) throw new Unavailable('nothing was observed of a validation that passed')
    const stakes = { account: sender, factory, paymaster }
    const refusal = ruleBrokenBy(job.op, { facts: observed, stakes }, chain)
    if (refusal !== undefined) throw refusal
    return { ...facts, level: 'full', scope: scopeOf(observed) }
  })
}

async function simulate(
  job: ValidateJob,
  { state, rules }: LocalChain,
  { view, header }: LocalBlock,
): Promise<{ outcome: CallOutcome; observed: OperationFacts | undefined }> {
  const { op } = job
  const request = simulateValidationCall(op)
  const overrides = validationOverrides(job)
  const call = { request, overrides, coinbase: header.coinbase }
  const foresee = () => foreseeValidation(op, call, { view, state })
  return state.run(view, foresee, (modules) => {
    let collector: Collector | undefined
    const outcome = bounded(() =>
      runRequest(request, overrides, {
        ...{ ...modules, rules, block: header.environment },
        watch(state) {
          collector = createCollector(
            { version: op.version, operations: [partiesOf(op)] },
            { state, keccak: rules.keccak },
          )
          return [collector.observer]
        },
      }),
    )
    return { outcome, observed: collector?.facts()[0] }
  })
}
