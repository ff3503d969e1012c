import { expect, test } from 'bun:test'
import { Sorted } from '../../../src/pool/sorted.ts'

test('holds its items in order through inserts and deletes, as a sorted array does', () => {
  const sorted = new Sorted<number>((a, b) => a - b)
  const model = new Set<number>()
  let state = 1
  for (let step = 0; step < 5000; step++) {
    state = (state * 48271) % 2147483647
    const item = state % 500
    if (model.has(item)) sorted.delete(item)
    else sorted.insert(item)
    if (!model.delete(item)) model.add(item)
  }
  expect([...sorted.descending()]).toEqual([...model].sort((a, b) => b - a))
  expect(sorted.least()).toBe(Math.min(...model))
})

test('takes logarithmic work a change', () => {
  let comparisons = 0
  const sorted = new Sorted<number>((a, b) => {
    comparisons += 1
    return a - b
  })
  for (let item = 0; item < 50_000; item++) sorted.insert((item * 7919) % 50_000)
  comparisons = 0
  for (let item = 0; item < 1000; item++) sorted.delete(item)
  expect(comparisons / 1000).toBeLessThan(60)
})
