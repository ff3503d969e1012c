import { StepsExceeded } from '../../evm/outcome.ts'
import { withOverrides } from '../../evm/state/overrides.ts'
import type { Explanation, HandledOperation } from '../../types/explanation.ts'
import type { ExplainJob } from '../../types/ports/simulator.ts'
import { delegationOverrides } from '../delegation.ts'
import { evmOverridesOf } from '../evm-overrides.ts'
import { brokenRules } from '../explain/broken-rules.ts'
import { handleExplained } from '../explain/handle-explained.ts'
import { mergeOverrides } from '../overrides.ts'
import type { OperationFacts } from '../rules/facts.ts'
import type { AttemptModules } from '../state/attempt.ts'
import { noKeys } from '../state/keys.ts'
import { ScatteredState } from '../state/scattered-state.ts'
import { sequenceOverride, verdictOf } from '../validate.ts'
import { estimateBudget } from './budgets.ts'
import { stakesIn } from './entry-point-storage.ts'
import { foreseeHandling } from './foresee.ts'
import type { LocalBlock, LocalChain } from './local-chain.ts'
import { factsOf, observeValidation } from './validate-locally.ts'

/**
 * The verdict, every rule that is broken, and handleOps of the operation with all its calls.
 * @throws Unsupported where the chain has what our EVM has not
 */
export async function explainLocally(job: ExplainJob, chain: LocalChain): Promise<Explanation> {
  const block = await chain.at(job.block)
  let observed: OperationFacts | undefined
  const verdict = await verdictOf(async () => {
    const validation = await observeValidation(job, chain, block, chain.turns.ofTrials)
    observed = validation.observed
    return factsOf(job, validation, chain, block)
  })
  if (verdict.kind === 'unknown') return { verdict, findings: [], handled: undefined }
  const findings = observed === undefined ? [] : await findingsOf(job, observed, chain, block)
  return { verdict, findings, handled: await handle(job, chain, block) }
}

async function findingsOf(
  { op }: ExplainJob,
  observed: OperationFacts,
  { state, rules, required }: LocalChain,
  { view }: LocalBlock,
): Promise<Explanation['findings']> {
  const stakes = await state.run(
    view,
    () => ({ known: noKeys() }),
    ({ source }) => stakesIn(op.version, observed.parties, { source, entryHash: state.entryHash }),
  )
  return brokenRules(op, observed, { stakes, required, precompiles: rules.precompiles })
}

/** @returns `undefined` for an operation that cannot be run to an end */
async function handle(
  job: ExplainJob,
  { state, rules, turns }: LocalChain,
  { view, header }: LocalBlock,
): Promise<HandledOperation | undefined> {
  const { op } = job
  const overrides = mergeOverrides(job.stateOverrides, delegationOverrides([op]), sequenceOverride(job))
  const foresee = () => foreseeHandling(op, overrides, { view, header, state })
  const budget = estimateBudget()
  try {
    const attempt = ({ source, keccak }: AttemptModules) =>
      handleExplained(op, {
        ...{ chain: { ...rules, keccak }, block: header.environment, budget },
        source: withOverrides(source, evmOverridesOf(overrides), keccak),
      })
    return await state.run(view, foresee, attempt, { turn: turns.ofTrials, certain: BigInt(op.sender) })
  } catch (error) {
    if (error instanceof StepsExceeded || error instanceof ScatteredState) return undefined
    throw error
  }
}
