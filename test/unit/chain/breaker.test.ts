import { expect, test } from 'bun:test'
import { answered, type Breaker, closed, failed, standingOf, tripped } from '../../../src/chain/breaker.ts'

const failedTimes = (times: number, now: number): Breaker =>
  Array.from({ length: times }).reduce<Breaker>((breaker) => failed(breaker, now), closed)

test('two failures in a row leave it closed, the third opens it for a second', () => {
  expect(failedTimes(2, 1000)).toEqual({ kind: 'closed', failures: 2 })
  expect(failedTimes(3, 1000)).toEqual({ kind: 'open', until: 2000, pauses: 0, asked: false })
})

test('an answer in between starts the count anew', () => {
  expect(answered(failedTimes(2, 0))).toEqual(closed)
})

test('during the pause it is a last resort, after it a check is due', () => {
  const open = failedTimes(3, 1000)
  expect([1999, 2000].map((now) => standingOf(open, now))).toEqual(['last-resort', 'due'])
})

test('late failures and answers of an outage change nothing', () => {
  const open = failedTimes(3, 1000)
  expect(failed(open, 1999)).toBe(open)
  expect(answered(open)).toBe(open)
})

test('pauses double up to thirty seconds', () => {
  let breaker = failedTimes(3, 0)
  const pauses: number[] = []
  for (let step = 0; step < 7; step++) {
    if (breaker.kind !== 'open') throw new Error('open')
    const now = breaker.until
    breaker = tripped(breaker, now)
    if (breaker.kind === 'open') pauses.push(breaker.until - now)
  }
  expect(pauses).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
})

test('a node that asks for a pause gets it at once, and is no last resort meanwhile', () => {
  const open = failed(closed, 1000, 5000)
  expect(open).toEqual({ kind: 'open', until: 6000, pauses: 0, asked: true })
  expect([5999, 6000].map((now) => standingOf(open, now))).toEqual(['resting', 'due'])
})

test('a node cannot ask for more than two minutes', () => {
  expect(failed(closed, 0, 86_400_000)).toMatchObject({ until: 120_000 })
})
