import { describe, expect, test } from 'bun:test'
import { zeroAddress } from 'viem'
import { createMetrics } from '../../../src/base/metrics.ts'
import { deferred } from '../../../src/base/queue.ts'
import type { CheckBundleJob, EstimateJob, ValidateJob } from '../../../src/types/ports/simulator.ts'
import type { Verdict } from '../../../src/types/verdict.ts'
import type { SpawnSimulator } from '../../../src/validation/simulator-thread.ts'
import { startSimulators } from '../../../src/validation/simulators.ts'
import { facts, userOp } from '../../support/builders.ts'
import { simulatorChain } from '../../support/engines.ts'
import { silentContext } from '../../support/simulation.ts'

const block = { number: 1, hash: '0x', timestamp: 1 } as const
const judgement: ValidateJob = { chainId: 1, op: userOp(), block, nonceSequence: undefined }
const trial: EstimateJob = { ...judgement, stateOverrides: undefined }
const bundle: CheckBundleJob = {
  ...{ chainId: 1, version: '0.7', ops: [userOp()], scopes: [undefined], block: 'latest' },
  ...{ from: zeroAddress, beneficiary: zeroAddress, maxFeePerGas: 1n, gasLimit: 1n },
}

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
        rehearse: () => take('rehearse'),
        estimate: () => take('estimate'),
        explain: () => take('explain'),
        checkBundle: () => take('checkBundle'),
        secondOpinion: () => take('secondOpinion'),
        prepare: () => Promise.resolve(),
        counted: () => Promise.resolve([]),
        open: async () => {},
        ping: async () => {},
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
  const asking = {
    validate: () => simulators.validate(judgement),
    estimate: () => simulators.estimate(trial),
    checkBundle: () => simulators.checkBundle(bundle),
  }
  const ask = (kind: keyof typeof asking) => {
    return asking[kind]().then(
      () => 'answered',
      (error: Error) => error.message,
    )
  }
  return { ask, given, stop: simulators.stop }
}

test('trials leave the home of their chain to what is sent and bundled', async () => {
  const { ask, given, stop } = await gated({ count: 3 })
  const asked = [...Array.from({ length: 4 }, () => ask('estimate')), ask('validate'), ask('validate')]
  expect(given).toEqual([
    ['estimate', 'estimate'],
    ['validate', 'validate'],
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

test('a queue full of what is being sent does not keep bundles from being checked', async () => {
  const { ask, given, stop } = await gated({ count: 1, queueSize: 2 })
  const asked = [ask('validate'), ask('validate')]
  expect(await ask('validate')).toBe('limit exceeded')
  asked.push(ask('checkBundle'))
  expect(given).toEqual([['validate', 'validate', 'checkBundle']])
  await stop()
  expect(await Promise.all(asked)).toEqual(['stopped', 'stopped', 'stopped'])
})

describe('a second opinion', () => {
  const accepted: Verdict = { kind: 'accepted', facts: facts(judgement.op, { level: 'full' }) }

  /** One thread that judges at once, on a chain whose operations are judged twice at this rate. */
  async function twice(validationCrossCheck: number, secondOpinion: () => Promise<Verdict>) {
    const metrics = createMetrics()
    const spawn: SpawnSimulator = () => ({
      remote: {
        validate: async () => accepted,
        secondOpinion,
        rehearse: async () => accepted,
        estimate: () => Promise.reject(new Error('not asked')),
        checkBundle: () => Promise.reject(new Error('not asked')),
        explain: () => Promise.reject(new Error('not asked')),
        open: async () => {},
        counted: async () => [],
        prepare: async () => {},
        ping: async () => {},
      },
      inFlight: 0,
      stop: () => {},
    })
    const simulators = await startSimulators({ count: 1 }, { ...silentContext(), metrics, spawn })
    await simulators.open(simulatorChain({ url: 'http://node', chainId: 1 }, { validationCrossCheck }))
    return { simulators, metrics }
  }

  test('does not keep the answer waiting', async () => {
    const asked = deferred<void>()
    const { simulators, metrics } = await twice(1, () => {
      asked.resolve()
      return new Promise(() => {})
    })
    expect(await simulators.validate(judgement)).toBe(accepted)
    await asked.promise
    expect(await metrics.text()).not.toContain('cross_checks_total{')
  })

  test('is not asked for about what is not signed yet, which has no level', async () => {
    const { simulators, metrics } = await twice(1, () => Promise.reject(new Error('not asked')))
    expect(await simulators.rehearse(judgement)).toBe(accepted)
    const text = await metrics.text()
    expect(text).not.toContain('cross_checks_total{')
    expect(text).not.toContain('validations_total{')
  })

  test('counts for no level: the answer does', async () => {
    const { simulators, metrics } = await twice(1, async () => accepted)
    await simulators.validate(judgement)
    expect(await metrics.text()).toContain('tandem_validations_total{chain="1",level="full"} 1')
  })

  test('is not asked for where the share is 0', async () => {
    let asked = 0
    const { simulators } = await twice(0, async () => {
      asked += 1
      return accepted
    })
    await simulators.validate(judgement)
    expect(asked).toBe(0)
  })
})
