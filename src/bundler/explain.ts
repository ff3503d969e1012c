import { Unavailable } from '../base/errors.ts'
import type { Explanation } from '../types/explanation.ts'
import type { HeadSource } from '../types/ports/chain.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { SimulatorPort, StateOverrides } from '../types/ports/simulator.ts'
import type { UserOperation } from '../types/userop.ts'
import { createJudge, type SequenceReader, untold } from './judge.ts'

/** `bundler_explainUserOperation`: judged as if it were sent. @throws Unavailable when we could not tell */
export type Explainer = (
  op: UserOperation,
  pool: PoolPort,
  overrides: StateOverrides | undefined,
) => Promise<Explanation>

export function createExplainer(
  options: { chainId: number },
  modules: { heads: HeadSource; simulator: Pick<SimulatorPort, 'explain'>; sequenceOnChain: SequenceReader },
): Explainer {
  return async (op, pool, stateOverrides) => {
    let last: Explanation | undefined
    const judge = createJudge(options, {
      ...modules,
      simulator: {
        async validate(job) {
          last = await modules.simulator.explain({ ...job, stateOverrides })
          return last.verdict
        },
      },
    })
    const { verdict } = await judge(op, pool)
    if (verdict.kind === 'unknown') throw untold(verdict)
    if (last === undefined) throw new Unavailable('nothing was explained')
    return last
  }
}
