import type { Head } from '../../src/types/block.ts'
import type { ValidateJob } from '../../src/types/ports/simulator.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { type Simulators, startSimulators } from '../../src/validation/simulators.ts'
import type { DevChain } from '../../test/support/devChain.ts'
import { simulatorChain } from '../../test/support/engines.ts'
import { silentContext } from '../../test/support/simulation.ts'
import type { Samples } from './in-turns.ts'
import { jobOf } from './setting.ts'

/** Jobs that wait at the threads at one time: neither runs dry. */
const open = 32
/** Validations of a round: some tenths of a second. */
const validations = 600
const rounds = 9

/** Validations a second through the port, round by round in turns; the state is at hand in every thread. */
export type TwoWorkers = { one: Samples; two: Samples }

export async function measureTwoWorkers(
  chain: DevChain,
  ops: readonly UserOperation[],
  block: Head,
): Promise<TwoWorkers> {
  const [one, two] = [await simulators(1, chain), await simulators(2, chain)]
  const jobs = ops.map((op) => jobOf(chain.chainId, op, block))
  try {
    const figures: { one: number[]; two: number[] } = { one: [], two: [] }
    for (const threads of [one, two, two]) await perSecond(threads, jobs)
    for (let round = 0; round < rounds; round += 1) {
      figures.one.push(await perSecond(one, jobs))
      figures.two.push(await perSecond(two, jobs))
    }
    return figures
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
}

async function simulators(count: number, chain: DevChain): Promise<Simulators> {
  const started = await startSimulators({ count }, silentContext())
  await started.open(simulatorChain(chain))
  return started
}

async function perSecond(simulators: Simulators, jobs: readonly ValidateJob[]): Promise<number> {
  const waiting = Array.from({ length: validations }, (_, index) => jobs[index % jobs.length] as ValidateJob)
  const started = performance.now()
  const client = async () => {
    for (let job = waiting.pop(); job !== undefined; job = waiting.pop()) {
      const { kind } = await simulators.validate(job)
      if (kind !== 'accepted') throw new Error(kind)
    }
  }
  await Promise.all(Array.from({ length: open }, client))
  return (validations * 1000) / (performance.now() - started)
}
