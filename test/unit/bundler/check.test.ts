import { expect, test } from 'bun:test'
import { createBundleCheck } from '../../../src/bundler/check.ts'
import type { CheckBundleJob } from '../../../src/types/ports/simulator.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import type { BundleVerdict } from '../../../src/types/verdict.ts'
import { address, facts, hashOf, staked, userOp } from '../../support/builders.ts'
import { admit, pool } from '../pool/support.ts'
import { accepted, chainId, context, fakeHeads, judgeBy, lifeOf, now, recordedStates } from './support.ts'

const from = address(0xe0)
const scope = { associated: [], codes: [], contextSize: 32, gasByPhase: [1] }

/** Checks a bundle of `ops`; alone each of them is accepted. */
async function checked(ops: readonly UserOperation[], check: (job: CheckBundleJob) => BundleVerdict) {
  const own = pool()
  for (const op of ops) admit(own, op, { facts: facts(op, { scope, sender: staked }) })
  own.bundle(ops.map(hashOf), 'b1')
  const { states, told } = recordedStates()
  const jobs: CheckBundleJob[] = []
  const checkBundle = createBundleCheck(
    { chainId },
    {
      ...context,
      ...{ heads: fakeHeads(), judge: judgeBy(accepted), states, now },
      simulator: {
        validate: () => Promise.reject(new Error('the test did not expect validate')),
        rehearse: () => Promise.reject(new Error('the test did not expect rehearse')),
        estimate: () => Promise.reject(new Error('the test did not expect estimate')),
        explain: () => Promise.reject(new Error('the test did not expect explain')),
        async checkBundle(job) {
          jobs.push(job)
          return check(job)
        },
      },
    },
  )
  const entries = ops.flatMap((op) => own.get(hashOf(op)) ?? [])
  const result = await checkBundle(
    { bundleId: 'b1', pool: own, entries },
    { from, beneficiary: from, maxFeePerGas: 0n, gasLimit: () => 0n },
  )
  const kept = result === 'unknown' ? result : result.entries.map(({ op }) => op)
  return { own, kept, jobs, told }
}

const passes: BundleVerdict = { kind: 'passes', authorizations: [] }

test('tells what validation of each operation used', async () => {
  const { jobs } = await checked([userOp()], () => passes)
  expect(jobs.map(({ scopes }) => scopes)).toEqual([[scope]])
})

test('COD-010: what was validated with other code is dropped, although it is valid now', async () => {
  const error = { code: -32502, message: 'other code', data: { rule: 'COD-010', entity: 'account' } }
  const [bad, good] = [userOp(), userOp({ sender: address(2) })]
  const { kept, told } = await checked([bad, good], ({ ops }) =>
    ops.length === 2 ? { kind: 'fails', index: 0, error } : passes,
  )
  expect(kept).toEqual([good])
  expect(lifeOf(told, bad)).toEqual([{ kind: 'dropped', reason: error }])
})

test('EREP-070: an operation whose paymaster uses less gas goes on, and the paymaster is throttled', async () => {
  const op = userOp({ paymaster: address(9) })
  const error = { code: -32502, message: 'less gas', data: { rule: 'EREP-070', entity: 'paymaster' } }
  const { own, kept } = await checked([op], () => ({
    ...passes,
    drifts: [{ index: 0, rule: 'EREP-070', error }],
  }))
  expect(kept).toEqual([op])
  expect(own.reputation().map((view) => [view.address, view.status])).toContainEqual([
    address(9),
    'throttled',
  ])
})

test('EREP-055: a context that changed is nobody’s fault while the bundle passes', async () => {
  const op = userOp({ paymaster: address(9) })
  const error = { code: -32502, message: 'other size', data: { rule: 'EREP-055', entity: 'paymaster' } }
  const { own, kept } = await checked([op], () => ({
    ...passes,
    drifts: [{ index: 0, rule: 'EREP-055', error }],
  }))
  expect(kept).toEqual([op])
  expect(own.reputation().every(({ status }) => status === 'ok')).toBe(true)
})
