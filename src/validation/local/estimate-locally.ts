import { numberToHex } from 'viem'
import type { SimulatedGas } from '../../types/gas.ts'
import type { EstimateJob } from '../../types/ports/simulator.ts'
import { assumedLimits, completed } from '../estimate/completed.ts'
import { estimateInEvm, estimateOverrides } from '../estimate/evm/estimate-in-evm.ts'
import { mergeOverrides } from '../overrides.ts'
import { estimateBudget } from './budgets.ts'
import { foreseeHandling } from './foresee.ts'
import type { LocalBlock, LocalChain } from './local-chain.ts'
import { localView } from './local-view.ts'
import { mustEnd } from './must-end.ts'

/**
 * The estimate by our own EVM.
 * @throws as `estimateInEvm`; Unsupported where the chain has what our EVM has not
 */
export async function estimateLocally(job: EstimateJob, chain: LocalChain): Promise<SimulatedGas> {
  const block = await chain.at(job.block)
  const budget = estimateBudget()
  return mustEnd(job.op, () =>
    estimateInEvm(job, {
      ...{ chain: chain.rules, block: block.header.environment, budget, view: localView(chain, block) },
      runs: (attempt) =>
        chain.state.run(block.view, () => foresee(job, chain, block), attempt, {
          turn: chain.turns.ofTrials,
          certain: BigInt(job.op.sender),
        }),
    }),
  )
}

/** wei; whatever a node takes of it, nobody goes without */
const rich = 2n ** 120n

function foresee(job: EstimateJob, { state }: LocalChain, { view, header }: LocalBlock) {
  const op = completed(job.op, assumedLimits)
  const overrides = mergeOverrides(estimateOverrides(job), { [op.sender]: { balance: numberToHex(rich) } })
  return foreseeHandling(op, overrides, { view, header, state })
}
