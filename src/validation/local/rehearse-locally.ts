import type { ValidateJob } from '../../types/ports/simulator.ts'
import type { Verdict } from '../../types/verdict.ts'
import { judge, verdictOf } from '../validate.ts'
import type { LocalChain } from './local-chain.ts'
import { localView } from './local-view.ts'
import { mustEnd } from './must-end.ts'
import { runValidation } from './run-validation.ts'
import { requireVouchedLimits } from './vouched-limits.ts'

/**
 * What the EntryPoint will say once the account has signed, by our own EVM.
 * @throws Unsupported where the chain has what our EVM has not
 */
export function rehearseLocally(job: ValidateJob, chain: LocalChain): Promise<Verdict> {
  return verdictOf(async () => {
    const block = await chain.at(job.block)
    await requireVouchedLimits(job.op, chain, block)
    const view = localView(chain, block)
    const simulate = () => runValidation(job, chain, block, { turn: chain.turns.ofJudgements })
    const facts = await mustEnd(job.op, () => judge(job, { view, simulate }, 'awaited'))
    return { ...facts, level: 'basic' }
  })
}
