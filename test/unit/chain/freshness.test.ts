import { expect, test } from 'bun:test'
import { headTrouble } from '../../../src/chain/freshness.ts'
import type { HeadSource } from '../../../src/types/ports/chain.ts'

const now = 1_000_000_000

/** What is wrong with a head of that age, s. */
function trouble(
  age: number,
  blockTime?: number,
  { maxHeadAge, answered = 0 }: { maxHeadAge?: number; answered?: number } = {},
) {
  const hash = `0x${'11'.repeat(32)}` as const
  const heads: HeadSource = {
    current: {
      ...{ number: 7, hash, parentHash: hash, gasLimit: 1n, baseFeePerGas: 1n },
      timestamp: now / 1000 - age,
    },
    blockTime,
    onChange() {},
    async refresh() {},
    staleness: () => answered,
  }
  return headTrouble(heads, { maxHeadAge }, now)
}

test('a chain whose head nobody knows is not fresh', () => {
  const heads = {
    current: undefined,
    blockTime: 1,
    onChange() {},
    refresh: async () => {},
    staleness: () => 0,
  }
  expect(headTrouble(heads, { maxHeadAge: undefined }, now)).toBe('a fresh head')
})

test('a node that answers no more makes it stale, on slow chains later', () => {
  expect(trouble(0, 1, { answered: 15_000 })).toBeUndefined()
  expect(trouble(0, 1, { answered: 15_001 })).toBe('a fresh head')
  expect(trouble(0, 12, { answered: 60_000 })).toBeUndefined()
  expect(trouble(0, 12, { answered: 60_001 })).toBe('a fresh head')
})

test('a node that answers the same old block makes it stale, too', () => {
  expect(trouble(240, 12)).toBeUndefined()
  expect(trouble(241, 12)).toBe('a newer block: the newest is 241 s old')
})

test('fast chains have a minute: leaders miss their turns', () => {
  expect(trouble(60, 0.25)).toBeUndefined()
  expect(trouble(61, 0.25)).toBe('a newer block: the newest is 61 s old')
})

test('a chain that mines on demand is as old as it likes', () => {
  expect(trouble(1_000_000)).toBeUndefined()
})

test('maxHeadAge decides where it is set, whatever the block time', () => {
  expect(trouble(31, undefined, { maxHeadAge: 30 })).toBe('a newer block: the newest is 31 s old')
  expect(trouble(1000, 1, { maxHeadAge: 1000 })).toBeUndefined()
  expect(trouble(1_000_000, 1, { maxHeadAge: 0 })).toBeUndefined()
})

test('a clock behind the chain is no trouble', () => {
  expect(trouble(-120, 1)).toBeUndefined()
})
