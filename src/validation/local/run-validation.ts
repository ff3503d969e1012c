import type { Turns } from '../../base/turns.ts'
import type { Observer } from '../../evm/observer.ts'
import type { State } from '../../evm/state/state.ts'
import type { StateOverrides, ValidateJob } from '../../types/ports/simulator.ts'
import type { CallOutcome } from '../eth-call.ts'
import { simulateValidationCall } from '../simulation.ts'
import type { AttemptModules } from '../state/attempt.ts'
import { validationOverrides } from '../validate.ts'
import { validationBudget } from './budgets.ts'
import { foreseeValidation } from './foresee.ts'
import type { LocalBlock, LocalChain } from './local-chain.ts'
import { mustEnd } from './must-end.ts'
import { runRequest } from './run-request.ts'

export type SimulatedJob = ValidateJob & { stateOverrides?: StateOverrides | undefined }

/**
 * The call of simulateValidation in our own EVM. `watch` is asked anew for each attempt; only the last one counts.
 * @throws TandemError for a run that does not end; Unavailable, Unsupported
 */
export function runValidation(
  job: SimulatedJob,
  { state, rules }: LocalChain,
  { view, header }: LocalBlock,
  { turn, watch }: { turn: Turns; watch: (state: State) => readonly Observer[] },
): Promise<CallOutcome> {
  const { op } = job
  const request = simulateValidationCall(op)
  const overrides = validationOverrides(job)
  const call = { request, overrides, coinbase: header.coinbase }
  const foresee = () => foreseeValidation(op, call, { view, state })
  const own = { rules, budget: validationBudget(), block: header.environment, watch }
  const attempt = (modules: AttemptModules) => runRequest(request, overrides, { ...modules, ...own })
  return mustEnd(op, () => state.run(view, foresee, attempt, { turn, certain: BigInt(op.sender) }))
}
