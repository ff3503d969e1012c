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
const rounds = 15
/** ms that loops run */
const loopFor = 300

/** Round by round in turns; the state is at hand in every thread. */
export type TwoWorkers = {
  /** validations a second through the port */
  one: Samples
  two: Samples
  /** processor time of the whole process for a validation, ms */
  cpuOfOne: Samples
  cpuOfTwo: Samples
  /** What the machine has for two threads just then: how far loops come that share nothing. */
  oneLoop: Samples
  twoLoops: Samples
}

export async function measureTwoWorkers(
  chain: DevChain,
  ops: readonly UserOperation[],
  block: Head,
): Promise<TwoWorkers> {
  const [one, two] = [await simulators(1, chain), await simulators(2, chain)]
  const loops = [loop(), loop()]
  const jobs = ops.map((op) => jobOf(chain.chainId, op, block))
  const samples = { one: [], two: [], cpuOfOne: [], cpuOfTwo: [], oneLoop: [], twoLoops: [] } as {
    [Name in keyof TwoWorkers]: number[]
  }
  try {
    for (const threads of [one, two, two]) await drive(threads, jobs)
    for (let round = 0; round < rounds; round += 1) {
      const alone = await drive(one, jobs)
      const together = await drive(two, jobs)
      samples.one.push(alone.perSecond)
      samples.two.push(together.perSecond)
      samples.cpuOfOne.push(alone.cpuMs)
      samples.cpuOfTwo.push(together.cpuMs)
      samples.oneLoop.push(await distance(loops.slice(0, 1)))
      samples.twoLoops.push(await distance(loops))
    }
    return samples
  } finally {
    for (const each of loops) each.terminate()
    await Promise.all([one.stop(), two.stop()])
  }
}

async function simulators(count: number, chain: DevChain): Promise<Simulators> {
  const started = await startSimulators({ count }, silentContext())
  await started.open(simulatorChain(chain))
  return started
}

async function drive(simulators: Simulators, jobs: readonly ValidateJob[]) {
  const waiting = Array.from({ length: Math.ceil(validations / jobs.length) }, () => jobs).flat()
  const count = waiting.length
  const started = performance.now()
  const used = process.cpuUsage()
  const client = async () => {
    for (let job = waiting.pop(); job !== undefined; job = waiting.pop()) {
      const { kind } = await simulators.validate(job)
      if (kind !== 'accepted') throw new Error(kind)
    }
  }
  await Promise.all(Array.from({ length: open }, client))
  const { user, system } = process.cpuUsage(used)
  return {
    perSecond: (count * 1000) / (performance.now() - started),
    cpuMs: (user + system) / 1000 / count,
  }
}

const loop = (): Worker => new Worker(new URL('./loop.ts', import.meta.url).href)

async function distance(loops: readonly Worker[]): Promise<number> {
  const runs = loops.map((worker) => {
    const { promise, resolve } = Promise.withResolvers<number>()
    worker.addEventListener('message', ({ data }) => resolve(data), { once: true })
    worker.postMessage(loopFor)
    return promise
  })
  return (await Promise.all(runs)).reduce((sum, each) => sum + each, 0)
}
