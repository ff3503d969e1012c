import { expect, test } from 'bun:test'
import { nearest } from '../../../src/base/nearest.ts'

const fields = ['callData', 'callGasLimit', 'maxFeePerGas', 'nonce', 'sender']

test.each([
  ['calldata', 'callData'],
  ['callGasLimt', 'callGasLimit'],
  ['maxFeePergas', 'maxFeePerGas'],
  ['nonec', 'nonce'],
  ['gasLimit', undefined],
  ['x', undefined],
])('%s → %p', (name, expected) => {
  expect(nearest(name, fields)).toBe(expected)
})

test('nothing is near nothing', () => {
  expect(nearest('nonce', [])).toBeUndefined()
})

test('of two equally near the first', () => {
  expect(nearest('bat', ['cat', 'hat'])).toBe('cat')
})
