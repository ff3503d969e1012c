import { expect, test } from 'bun:test'
import { learnBlockTime, type Sighting, withSighting } from '../../../src/chain/block-time.ts'

/** Heads seen after each of the intervals, in ms. */
function sightings(...intervals: readonly number[]): Sighting[] {
  const passed = (count: number) => intervals.slice(0, count).reduce((sum, ms) => sum + ms, 0)
  return [0, ...intervals].map((_, number) => ({ number, at: 1_000_000 + passed(number) }))
}

test('is the median of the intervals, in seconds', () => {
  expect(learnBlockTime(sightings(1000, 1010, 980, 1100, 900))).toBe(1)
})

test('is unknown until three intervals are seen', () => {
  expect(learnBlockTime(sightings(1000, 1000))).toBeUndefined()
  expect(learnBlockTime(sightings(1000, 1000, 1000))).toBe(1)
})

test('is not moved by one outage', () => {
  expect(learnBlockTime(sightings(2000, 2000, 60_000, 2000, 2000, 2000))).toBe(2)
})

test('is unknown on a chain that mines on demand', () => {
  expect(learnBlockTime(sightings(10, 5000, 300, 20_000, 40, 900))).toBeUndefined()
})

test('counts the blocks between two sightings', () => {
  const seen = [0, 4, 8, 12].map((number) => ({ number, at: number * 250 }))
  expect(learnBlockTime(seen)).toBe(0.25)
})

test('passes over reorgs to the same height', () => {
  const [first, second, third, fourth] = sightings(1000, 1000, 1000) as [
    Sighting,
    Sighting,
    Sighting,
    Sighting,
  ]
  const again = { number: 2, at: third.at + 10 }
  expect(learnBlockTime([first, second, third, again, fourth, { number: 4, at: fourth.at + 1000 }])).toBe(1)
})

test('follows a change of pace', () => {
  const slow = sightings(...Array(12).fill(12_000))
  const fast = Array.from({ length: 12 }, (_, index) => ({
    number: 13 + index,
    at: 1_144_000 + 2000 * (index + 1),
  }))
  expect(learnBlockTime(fast.reduce(withSighting, slow as readonly Sighting[]))).toBe(2)
})
