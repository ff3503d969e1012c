import { expect, test } from 'bun:test'
import { LimitExceeded, toWire } from '../../../src/base/errors.ts'
import { createJudge, untold } from '../../../src/bundler/judge.ts'
import type { ValidateJob } from '../../../src/types/ports/simulator.ts'
import type { Verdict } from '../../../src/types/verdict.ts'
import { facts, userOp } from '../../support/builders.ts'
import { admitNonces, pool } from '../pool/support.ts'
import { chainId, fakeHeads, head } from './support.ts'

const rejected = (aaCode: string): Verdict => ({
  kind: 'rejected',
  error: { code: -32500, message: aaCode, data: { aaCode } },
})
const accepted: Verdict = { kind: 'accepted', facts: facts(userOp()) }
const unknown: Verdict = { kind: 'unknown', cause: 'down' }

/** A judge whose simulator gives `verdicts` in order, the last one for ever. */
function judgeWith(
  verdicts: readonly (Verdict | Error)[],
  { heads = fakeHeads(), sequence = async () => 0n }: Partial<Parameters<typeof setUp>[1]> = {},
) {
  return setUp(verdicts, { heads, sequence })
}

function setUp(
  verdicts: readonly (Verdict | Error)[],
  { heads, sequence }: { heads: ReturnType<typeof fakeHeads>; sequence: () => Promise<bigint> },
) {
  const jobs: ValidateJob[] = []
  const judge = createJudge(
    { chainId },
    {
      heads,
      simulator: {
        async validate(job) {
          const verdict = verdicts[Math.min(jobs.length, verdicts.length - 1)]
          jobs.push(job)
          if (verdict === undefined || verdict instanceof Error) throw verdict
          return verdict
        },
      },
      sequenceOnChain: sequence,
    },
  )
  return { judge, jobs, heads, sequences: () => jobs.map((job) => job.nonceSequence) }
}

test('a fresh key costs no question about its nonce', async () => {
  const { judge, sequences } = judgeWith([accepted])
  expect(await judge(userOp(), pool())).toEqual({ verdict: accepted, chainSequence: 0n })
  expect(sequences()).toEqual([undefined])
})

test('AA25 of a nonce ahead of the chain: judged as if it were its turn', async () => {
  const { judge, sequences } = judgeWith([rejected('AA25'), accepted], { sequence: async () => 2n })
  expect(await judge(userOp({ nonce: 5n }), pool())).toEqual({ verdict: accepted, chainSequence: 2n })
  expect(sequences()).toEqual([undefined, 5n])
})

test('AA25 of a used nonce stands', async () => {
  const { judge } = judgeWith([rejected('AA25')], { sequence: async () => 6n })
  expect(await judge(userOp({ nonce: 5n }), pool())).toEqual({ verdict: rejected('AA25'), chainSequence: 6n })
})

test('a nonce behind pooled ones is judged as if it were its turn', async () => {
  const { judge, sequences } = judgeWith([accepted])
  const own = pool()
  admitNonces(own, [0, 2])
  expect(await judge(userOp({ nonce: 2n }), own)).toEqual({ verdict: accepted, chainSequence: 0n })
  expect(sequences()).toEqual([2n])
})

test('what nobody could tell is asked again, whoever failed', async () => {
  const { judge, jobs } = judgeWith([new Error('worker gone'), unknown, accepted])
  expect((await judge(userOp(), pool())).verdict).toEqual(accepted)
  expect(jobs).toHaveLength(3)
})

test('three times unknown is unknown', async () => {
  const { judge, jobs } = judgeWith([unknown])
  expect((await judge(userOp(), pool())).verdict).toEqual(unknown)
  expect(jobs).toHaveLength(3)
})

test('where there is no place for it now, nobody is asked again, and the caller hears when to come back', async () => {
  const { judge, jobs } = judgeWith([new LimitExceeded('limit exceeded', { retryAfterMs: 700 })])
  const { verdict } = await judge(userOp(), pool())
  expect(verdict).toEqual({ kind: 'unknown', cause: 'limit exceeded', retryAfterMs: 700 })
  expect(jobs).toHaveLength(1)
  expect(verdict.kind === 'unknown' && toWire(untold(verdict))).toEqual({
    code: -32005,
    message: 'limit exceeded',
    data: { retryAfterMs: 700 },
  })
})

test('a nonce that the node does not tell is unknown, not a verdict', async () => {
  const { judge } = judgeWith([rejected('AA25')], { sequence: () => Promise.reject(new Error('node down')) })
  expect((await judge(userOp({ nonce: 5n }), pool())).verdict).toEqual({
    kind: 'unknown',
    cause: 'node down',
  })
})

test('a rejection is checked against a newer block, if there is one', async () => {
  const { judge, jobs } = judgeWith([rejected('AA21'), accepted], { heads: fakeHeads(head(1), head(2)) })
  expect((await judge(userOp(), pool())).verdict).toEqual(accepted)
  expect(jobs.map(({ block }) => block.number)).toEqual([1, 2])
})

test('a rejection on the newest block stands', async () => {
  const { judge, jobs, heads } = judgeWith([rejected('AA21')])
  expect((await judge(userOp(), pool())).verdict).toEqual(rejected('AA21'))
  expect([jobs.length, heads.looks]).toEqual([1, 1])
})
