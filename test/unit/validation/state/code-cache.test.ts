import { expect, test } from 'bun:test'
import { createCodeCache } from '../../../../src/validation/state/code-cache.ts'

const code = (size: number) => new Uint8Array(size)

test('what was used least recently makes room', () => {
  const cache = createCodeCache({ capacity: 100 })
  cache.put(1n, code(40))
  cache.put(2n, code(40))
  cache.get(1n)
  cache.put(3n, code(40))
  expect([1n, 2n, 3n].map((hash) => cache.get(hash)?.length)).toEqual([40, undefined, 40])
  expect(cache.bytes).toBe(80)
})

test('the same code twice takes its room once', () => {
  const cache = createCodeCache({ capacity: 100 })
  cache.put(1n, code(40))
  cache.put(1n, code(40))
  expect(cache.bytes).toBe(40)
})

test('code that is larger than all room is kept alone', () => {
  const cache = createCodeCache({ capacity: 100 })
  cache.put(1n, code(40))
  cache.put(2n, code(400))
  expect([cache.get(1n), cache.get(2n)?.length, cache.bytes]).toEqual([undefined, 400, 400])
})
