import { expect, test } from 'bun:test'
import { InvalidParams, TandemError } from '../../../src/base/errors.ts'
import { createEstimator } from '../../../src/bundler/estimate.ts'
import type { EstimateJob } from '../../../src/types/ports/simulator.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { userOp } from '../../support/builders.ts'
import { admitNonces, pool } from '../pool/support.ts'
import { chainId, fakeHeads, free, head, poolsOf } from './support.ts'

const limits = {
  ...{ verificationGasLimit: 70_000n, callGasLimit: 40_000n, paymasterVerificationGasLimit: 0n },
  ...{ paymasterPostOpGasLimit: 0n, validAfter: undefined, validUntil: undefined },
}
const used = new TandemError(-32500, 'AA25 invalid account nonce', { aaCode: 'AA25' })

function estimatorOf({
  answers = [limits],
  own = pool(),
  heads = fakeHeads(),
  checkCaps = () => {},
  sequence = 0n,
}: {
  answers?: readonly (typeof limits | Error)[]
  own?: ReturnType<typeof pool>
  heads?: ReturnType<typeof fakeHeads>
  checkCaps?: (op: UserOperation) => void
  sequence?: bigint
} = {}) {
  const jobs: EstimateJob[] = []
  const unasked = () => Promise.reject(new Error('not asked'))
  const estimate = createEstimator(
    { chainId, estimationStaticBuffer: 500n },
    {
      ...{ heads, checkCaps, pools: poolsOf(own) },
      simulator: {
        validate: unasked,
        rehearse: unasked,
        explain: unasked,
        checkBundle: unasked,
        async estimate(job) {
          const answer = answers[Math.min(jobs.length, answers.length - 1)]
          jobs.push(job)
          if (answer === undefined || answer instanceof Error) throw answer
          return answer
        },
      },
      prices: {
        recommended: async () => ({ ...free, maxFeePerGas: 7n, maxPriorityFeePerGas: 3n }),
        preVerificationGas: async ({ maxFeePerGas }) => (maxFeePerGas < 7n ? 60_000n : 45_000n),
      },
      sequenceOnChain: async () => sequence,
    },
  )
  return { estimate: (op: UserOperation) => estimate(op, undefined), jobs }
}

test('limits come from simulation, the rest from prices', async () => {
  expect(await estimatorOf().estimate(userOp({ callData: '0x01' }))).toEqual({
    ...limits,
    ...{ callGasLimit: 40_500n, preVerificationGas: 45_000n, maxFeePerGas: 7n, maxPriorityFeePerGas: 3n },
  })
})

test('a call that takes nearly nothing gets what sending asks for', async () => {
  const { estimate } = estimatorOf({ answers: [{ ...limits, callGasLimit: 10n }] })
  expect((await estimate(userOp({ callData: '0x01' }))).callGasLimit).toBe(9_000n)
})

test('what would be refused when it is sent has no estimate', async () => {
  const { estimate } = estimatorOf({
    checkCaps({ verificationGasLimit }) {
      throw new InvalidParams(`${verificationGasLimit} is too much`)
    },
  })
  await expect(estimate(userOp())).rejects.toThrow('70000 is too much')
})

test('a nonce ahead of the chain is estimated as if it were its turn', async () => {
  const { estimate, jobs } = estimatorOf({
    answers: [used, used, limits],
    heads: fakeHeads(head(1), head(2)),
  })
  await estimate(userOp({ nonce: 3n }))
  expect(jobs.map((job) => job.nonceSequence)).toEqual([undefined, 3n, undefined])
})

test('a nonce behind pooled ones needs no question about it', async () => {
  const own = pool()
  admitNonces(own, [0, 2])
  const { estimate, jobs } = estimatorOf({ own })
  await estimate(userOp({ nonce: 2n }))
  expect(jobs.map((job) => job.nonceSequence)).toEqual([2n])
})

test('a nonce that is used up has no estimate', async () => {
  const { estimate } = estimatorOf({ answers: [used], sequence: 4n })
  await expect(estimate(userOp({ nonce: 3n }))).rejects.toBe(used)
})

test('a failure is checked against a newer block, if there is one', async () => {
  const failed = new TandemError(-32521, 'execution reverted')
  const { estimate, jobs } = estimatorOf({ answers: [failed, limits], heads: fakeHeads(head(1), head(2)) })
  await estimate(userOp())
  expect(jobs.map(({ block }) => block.number)).toEqual([1, 2])
  await expect(estimatorOf({ answers: [failed] }).estimate(userOp())).rejects.toBe(failed)
})

test('a caller with lower fees of its own is told what they need', async () => {
  const { estimate } = estimatorOf()
  const own = { maxFeePerGas: 5n, maxPriorityFeePerGas: 1n }
  expect(await estimate(userOp(own))).toMatchObject({ preVerificationGas: 60_000n, maxFeePerGas: 7n })
  expect(await estimate(userOp({ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }))).toMatchObject({
    preVerificationGas: 45_000n,
  })
})
