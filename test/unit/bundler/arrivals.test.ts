import { expect, test } from 'bun:test'
import { createArrivals } from '../../../src/bundler/arrivals.ts'

/** Blocks every 12 s, seen so many ms after they were there; clocks differ by 3 s. */
function seenLate(...delays: number[]) {
  const arrivals = createArrivals()
  delays.forEach((delay, index) => {
    arrivals.note({ timestamp: 1000 + 12 * index }, 1_003_000 + 12_000 * index + delay)
  })
  return arrivals.latest() - (1_003_000 + 12_000 * (delays.length - 1))
}

test('a block was there as soon as the promptest of the last ones was', () => {
  expect(seenLate(700)).toBe(700)
  expect(seenLate(700, 20, 400)).toBe(20)
})

test('one that skips slots is no different', () => {
  const arrivals = createArrivals()
  arrivals.note({ timestamp: 100 }, 100_050)
  arrivals.note({ timestamp: 136 }, 136_900)
  expect(arrivals.latest()).toBe(136_050)
})

test('what was long ago is forgotten', () => {
  expect(seenLate(20, ...Array.from({ length: 12 }, () => 300))).toBe(300)
})

test('before the first block nothing is known', () => {
  expect(createArrivals().latest()).toBe(0)
})
