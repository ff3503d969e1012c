import { expect, test } from 'bun:test'
import { createRateLimiter } from '../../../src/base/rate.ts'

function limiter(rate = { perSecond: 2, burst: 3 }, maxKeys = 100) {
  let now = 1_000_000
  const { take } = createRateLimiter(rate, { now: () => now, maxKeys })
  return { take, pass: (ms: number) => (now += ms) }
}

test('a burst is allowed, then one for each token that comes in', () => {
  const { take, pass } = limiter()
  expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 500])
  pass(250)
  expect(take('a')).toBe(250)
  pass(250)
  expect([take('a'), take('a')]).toEqual([0, 500])
})

test('what is refused takes nothing', () => {
  const { take, pass } = limiter({ perSecond: 1, burst: 1 })
  expect([take('a'), take('a'), take('a')]).toEqual([0, 1000, 1000])
  pass(1000)
  expect(take('a')).toBe(0)
})

test('a bucket holds no more than a burst, however long it was idle', () => {
  const { take, pass } = limiter()
  take('a')
  pass(3_600_000)
  expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 500])
})

test('keys do not share', () => {
  const { take } = limiter({ perSecond: 1, burst: 1 })
  expect([take('a'), take('b'), take('a')]).toEqual([0, 0, 1000])
})

test('a clock that is set back gives nothing', () => {
  const { take, pass } = limiter({ perSecond: 1, burst: 1 })
  take('a')
  pass(-10_000)
  expect(take('a')).toBe(1000)
})

test('memory is bounded: who was idle for longest is forgotten first', () => {
  const { take } = limiter({ perSecond: 1, burst: 1 }, 2)
  expect([take('a'), take('b'), take('a')]).toEqual([0, 0, 1000])
  take('c')
  expect([take('a'), take('b')]).toEqual([1000, 0])
})
