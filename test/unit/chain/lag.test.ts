import { expect, test } from 'bun:test'
import { type Ascent, lagOf, withHeights } from '../../../src/chain/lag.ts'

const seen = (...looks: readonly (readonly [at: number, ...heights: number[]])[]): Ascent =>
  looks.reduce<Ascent>((ascent, [at, ...heights]) => withHeights(ascent, heights, at), [])

test('the node that is furthest has no lag, and neither has one beside it', () => {
  expect(lagOf(seen([0, 7, 7], [2000, 8, 8]), 8, 5000)).toBe(0)
})

test('a node lags since the others went past its block, however many they have now', () => {
  const ascent = seen([0, 7, 7], [2000, 8, 7], [4000, 12, 7])
  expect(lagOf(ascent, 7, 5000)).toBe(3000)
  expect(lagOf(ascent, 8, 5000)).toBe(1000)
})

test('a chain that stands still makes nobody lag', () => {
  expect(lagOf(seen([0, 7, 7], [60_000, 7, 7]), 7, 90_000)).toBe(0)
})

test('a height that no node has any more was a mistake', () => {
  expect(lagOf(seen([0, 7, 9_000_000], [2000, 8, 8]), 8, 60_000)).toBe(0)
})

test('nothing heard changes nothing', () => {
  expect(seen([0, 7], [2000])).toEqual([{ height: 7, at: 0 }])
})

test('what is remembered is bounded', () => {
  const looks = Array.from({ length: 1000 }, (_, index) => [index * 2000, index] as const)
  expect(seen(...looks)).toHaveLength(64)
})
