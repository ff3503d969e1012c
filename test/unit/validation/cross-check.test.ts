import { describe, expect, test } from 'bun:test'
import { createLog } from '../../../src/base/log.ts'
import { createMetrics } from '../../../src/base/metrics.ts'
import { deferred } from '../../../src/base/queue.ts'
import { userOperationHash } from '../../../src/types/entrypoint.ts'
import type { ValidateJob } from '../../../src/types/ports/simulator.ts'
import type { ValidationFacts, Verdict } from '../../../src/types/verdict.ts'
import { createCrossCheck } from '../../../src/validation/cross-check.ts'
import { facts, userOp } from '../../support/builders.ts'

const job: ValidateJob = {
  chainId: 1,
  op: userOp(),
  block: { number: 1, hash: '0x', timestamp: 1 },
  nonceSequence: undefined,
}
const accepted = (changes: Partial<ValidationFacts> = {}): Verdict => ({
  kind: 'accepted',
  facts: facts(job.op, { level: 'full', ...changes }),
})
const rejected = (code: number, rule?: string): Verdict => ({
  kind: 'rejected',
  error: { code, message: 'no', ...(rule === undefined ? {} : { data: { rule } }) },
})
const unknown: Verdict = { kind: 'unknown', cause: 'the node is down' }

/** Where the other engine says `second`, and every draw is `drawn`. */
function crossCheckWith(second: () => Promise<Verdict>, drawn = 0) {
  const metrics = createMetrics()
  const lines: string[] = []
  const log = createLog({ level: 'error', write: (line) => lines.push(line) })
  const crossCheck = createCrossCheck({ log, metrics, secondOpinion: second, chance: () => drawn })
  const counted = async () =>
    [...(await metrics.text()).matchAll(/cross_checks_total\{chain="1",outcome="(\w+)"\} (\d+)/g)].map(
      ([, outcome, count]) => `${outcome} ${count}`,
    )
  return { crossCheck, counted, lines }
}

describe('two engines', () => {
  test.each([
    ['agreed', accepted(), accepted({ level: 'traced-by-node' })],
    ['disagreed', accepted(), accepted({ level: 'traced-by-node', preOpGas: 7n })],
    ['disagreed', accepted(), rejected(-32502, 'OP-011')],
    ['disagreed', rejected(-32502, 'OP-011'), accepted({ level: 'traced-by-node' })],
    ['agreed', rejected(-32502, 'OP-011'), rejected(-32502, 'STO-033')],
    ['disagreed', rejected(-32502, 'OP-011'), rejected(-32500)],
    ['unknown', accepted(), unknown],
    ['unknown', unknown, accepted()],
    ['unknown', accepted({ level: 'basic' }), rejected(-32502, 'OP-011')],
    ['unknown', rejected(-32602, 'LIM-030'), accepted({ level: 'traced-by-node' })],
  ] as const)('%s', async (outcome, first, second) => {
    const { crossCheck, counted, lines } = crossCheckWith(async () => second)
    crossCheck.sample(job, first, 1)
    await crossCheck.settled()
    expect(await counted()).toEqual([`${outcome} 1`])
    expect(lines.length).toBe(outcome === 'disagreed' ? 1 : 0)
  })

  test('that disagree are logged with the operation and what each says', async () => {
    const { crossCheck, lines } = crossCheckWith(async () => rejected(-32502, 'OP-011'))
    crossCheck.sample(job, accepted(), 1)
    await crossCheck.settled()
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
      hash: userOperationHash(job.op, 1),
      verdict: 'accepted, full, preOpGas 0',
      second: '-32502 no (OP-011)',
    })
  })

  test('one of which does not answer', async () => {
    const { crossCheck, counted } = crossCheckWith(() => Promise.reject(new Error('limit exceeded')))
    crossCheck.sample(job, accepted(), 1)
    await crossCheck.settled()
    expect(await counted()).toEqual(['unknown 1'])
  })
})

test.each([
  [0, 0, []],
  [0.25, 0.25, []],
  [0.25, 0.24, ['agreed 1']],
  [1, 0.999, ['agreed 1']],
])('a share of %d and a draw of %d', async (share, drawn, expected) => {
  const { crossCheck, counted } = crossCheckWith(async () => accepted(), drawn)
  crossCheck.sample(job, accepted(), share)
  await crossCheck.settled()
  expect(await counted()).toEqual(expected)
})

test('the fifth at one time is skipped', async () => {
  const answer = deferred<Verdict>()
  const { crossCheck, counted } = crossCheckWith(() => answer.promise)
  for (let sample = 0; sample < 5; sample += 1) crossCheck.sample(job, accepted(), 1)
  expect(await counted()).toEqual(['skipped 1'])
  answer.resolve(accepted())
  await crossCheck.settled()
  expect(await counted()).toEqual(['skipped 1', 'agreed 4'])
})
