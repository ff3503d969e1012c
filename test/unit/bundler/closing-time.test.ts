import { expect, test } from 'bun:test'
import { closingDelay } from '../../../src/bundler/closing-time.ts'

const seen = { now: 5_000, blockAt: 4_000, blockTime: 12, bundleInterval: 60_000 }

test('a bundle closes just before the next block', () => {
  expect(closingDelay(seen)).toBe(12_000 - 1_000 - 200)
})

test('a block that is late does not keep it', () => {
  expect(closingDelay({ ...seen, now: 20_000 })).toBe(5)
})

test('without a steady block time, or with a very short one, it gathers for a moment', () => {
  expect(closingDelay({ ...seen, blockTime: undefined })).toBe(5)
  expect(closingDelay({ ...seen, blockTime: 0.25 })).toBe(5)
})

test('it never waits for longer than the operator allows', () => {
  expect(closingDelay({ ...seen, bundleInterval: 100 })).toBe(100)
  expect(closingDelay({ ...seen, blockTime: undefined, bundleInterval: 0 })).toBe(0)
})
