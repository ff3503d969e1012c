import { expect, test } from 'bun:test'
import { highestNextBaseFee, quoteFromGasPrice, quoteFromHistory } from '../../../src/chain/fee-quote.ts'

const gwei = 1_000_000_000n
const noFloor = { minPriorityFee: 0n }

test('the median tip over twice the next base fee', () => {
  const rewards = [5n * gwei, 1n * gwei, 2n * gwei]
  expect(quoteFromHistory({ nextBaseFee: 10n * gwei, rewards }, noFloor)).toEqual({
    baseFee: 10n * gwei,
    maxFeePerGas: 22n * gwei,
    maxPriorityFeePerGas: 2n * gwei,
    legacy: false,
  })
})

test('empty blocks say nothing about tips', () => {
  const rewards = [0n, 0n, 0n, 3n * gwei]
  expect(quoteFromHistory({ nextBaseFee: gwei, rewards }, noFloor).maxPriorityFeePerGas).toBe(3n * gwei)
})

test('the tip is at least the floor', () => {
  const quote = quoteFromHistory({ nextBaseFee: gwei, rewards: [1n] }, { minPriorityFee: gwei })
  expect([quote.maxPriorityFeePerGas, quote.maxFeePerGas]).toEqual([gwei, 3n * gwei])
  const idle = quoteFromHistory({ nextBaseFee: gwei, rewards: [] }, { minPriorityFee: gwei })
  expect(idle.maxPriorityFeePerGas).toBe(gwei)
})

test('without a base fee the tip is all', () => {
  expect(quoteFromHistory({ nextBaseFee: 0n, rewards: [7n] }, noFloor)).toEqual({
    baseFee: 0n,
    maxFeePerGas: 7n,
    maxPriorityFeePerGas: 7n,
    legacy: false,
  })
})

test('a legacy chain has one price, at least the floor', () => {
  expect(quoteFromGasPrice(5n, noFloor)).toEqual({
    baseFee: 0n,
    maxFeePerGas: 5n,
    maxPriorityFeePerGas: 5n,
    legacy: true,
  })
  expect(quoteFromGasPrice(5n, { minPriorityFee: 9n }).maxFeePerGas).toBe(9n)
})

test('a base fee grows by an eighth at most', () => {
  expect(highestNextBaseFee(800n)).toBe(900n)
})
