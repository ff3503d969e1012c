import { expect, test } from 'bun:test'
import { bundleFees, marketPriorityFee } from '../../../src/bundler/bundle-fees.ts'
import { userOp } from '../../support/builders.ts'

const market = { baseFee: 100n, maxFeePerGas: 210n, maxPriorityFeePerGas: 10n, legacy: false }
const paying = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) =>
  userOp({ maxFeePerGas, maxPriorityFeePerGas })

test('operations that pay more than the market: the market', () => {
  expect(bundleFees([paying(300n, 20n)], market)).toEqual(market)
})

test('the priority fee is the least that any operation brings at the next base fee', () => {
  expect(bundleFees([paying(300n, 20n), paying(300n, 4n), paying(305n, 10n)], market)).toEqual({
    ...market,
    maxPriorityFeePerGas: 4n,
  })
})

test('an operation without headroom brings what its base fee leaves, and lowers the offer by its part only', () => {
  expect(bundleFees([paying(103n, 10n), paying(205n, 10n)], market)).toEqual({
    ...market,
    maxFeePerGas: 154n,
    maxPriorityFeePerGas: 3n,
  })
})

test('a chain with one gas price: the least that any operation pays', () => {
  const quote = { baseFee: 0n, maxFeePerGas: 50n, maxPriorityFeePerGas: 50n, legacy: true }
  expect(bundleFees([paying(60n, 60n), paying(45n, 48n)], quote)).toEqual({
    ...quote,
    maxFeePerGas: 45n,
    maxPriorityFeePerGas: 45n,
  })
})

test('the market tolerates what fees move between quote and send', () => {
  expect(marketPriorityFee(market, 1000)).toBe(9n)
})
