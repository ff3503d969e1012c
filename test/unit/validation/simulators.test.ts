import { expect, test } from 'bun:test'
import { deferred } from '../../../src/base/queue.ts'
import type { EstimateJob, ValidateJob } from '../../../src/types/ports/simulator.ts'
import type { SpawnSimulator } from '../../../src/validation/simulator-thread.ts'
import { startSimulators } from '../../../src/validation/simulators.ts'
import { userOp } from '../../support/builders.ts'
import { silentContext } from '../../support/simulation.ts'

const block = { number: 1, hash: '0x', timestamp: 1 } as const
const judgement: ValidateJob = { chainId: 1, op: userOp(), block, nonceSequence: undefined }
const trial: EstimateJob = { ...judgement, stateOverrides: undefined }

/** Threads that answer nothing before they are let go, and tell what each was given. */
function gatedThreads() {
  const gate = deferred<never>()
  const given: string[][] = []
  const spawn: SpawnSimulator = () => {
    const jobs: string[] = []
    given.push(jobs)
    const take = (kind: string) => {
      jobs.push(kind)
      return gate.promise
    }
    return {
      remote: {
        validate: () => take('validate'),
        estimate: () => take('estimate'),
        explain: () => take('explain'),
        checkBundle: () => take('checkBundle'),
        secondOpinion: () => take('secondOpinion'),
        prepare: () => Promise.resolve(),
        open: async () => {},
      },
      get inFlight() {
        return jobs.length
      },
      stop: () => gate.reject(new Error('stopped')),
    }
  }
  return { spawn, given }
}

async function gated(options: { count: number; queueSize?: number }) {
  const { spawn, given } = gatedThreads()
  const simulators = await startSimulators(options, { ...silentContext(), spawn })
  const ask = (kind: 'validate' | 'estimate') => {
    const asked = kind === 'validate' ? simulators.validate(judgement) : simulators.estimate(trial)
    return asked.then(
      () => 'answered',
      (error: Error) => error.message,
    )
  }
  return { ask, given, stop: simulators.stop }
}

test('trials leave the first thread to what is sent and bundled', async () => {
  const { ask, given, stop } = await gated({ count: 3 })
  const asked = [...Array.from({ length: 4 }, () => ask('estimate')), ask('validate'), ask('validate')]
  expect(given).toEqual([
    ['validate', 'validate'],
    ['estimate', 'estimate'],
    ['estimate', 'estimate'],
  ])
  await stop()
  await Promise.all(asked)
})

test('a single thread takes both', async () => {
  const { ask, given, stop } = await gated({ count: 1 })
  const asked = [ask('estimate'), ask('validate')]
  expect(given).toEqual([['estimate', 'validate']])
  await stop()
  await Promise.all(asked)
})

test('a queue full of trials refuses trials only', async () => {
  const { ask, given, stop } = await gated({ count: 1, queueSize: 2 })
  const asked = [ask('estimate'), ask('estimate')]
  expect(await ask('estimate')).toBe('limit exceeded')
  asked.push(ask('validate'))
  expect(given).toEqual([['estimate', 'estimate', 'validate']])
  await stop()
  expect(await Promise.all(asked)).toEqual(['stopped', 'stopped', 'stopped'])
})
