import { expect, test } from 'bun:test'
import { nonceKey, nonceSequence } from '../../../src/types/userop.ts'

test.each([
  [0n, 0n, 0n],
  [5n, 0n, 5n],
  [(7n << 64n) | 5n, 7n, 5n],
  [2n ** 256n - 1n, 2n ** 192n - 1n, 2n ** 64n - 1n],
])('nonce %p is key %p, sequence %p', (nonce, key, sequence) => {
  expect([nonceKey(nonce), nonceSequence(nonce)]).toEqual([key, sequence])
})
