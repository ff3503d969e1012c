import { describe, expect, test } from 'bun:test'
import { bundleFees, deficitOf, feeCeiling, marketPriorityFee } from '../../../src/bundler/bundle-fees.ts'
import { bumpFees } from '../../../src/bundler/submitter/bump.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { operationGas } from '../../../src/types/userop-cost.ts'
import { userOp } from '../../support/builders.ts'

const market = { baseFee: 100n, maxFeePerGas: 210n, maxPriorityFeePerGas: 10n, legacy: false }
const none = { leastPriorityFee: 0n, deficit: 0n }
const paying = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) =>
  userOp({ maxFeePerGas, maxPriorityFeePerGas })

test('operations that pay more than the market: the market', () => {
  expect(bundleFees([paying(300n, 20n)], market, none)).toEqual(market)
})

test('the priority fee is the least that any operation brings at the next base fee', () => {
  expect(bundleFees([paying(300n, 20n), paying(300n, 4n), paying(305n, 10n)], market, none)).toEqual({
    ...market,
    maxPriorityFeePerGas: 4n,
  })
})

test('an operation without headroom brings what its base fee leaves, and lowers the offer by its part only', () => {
  expect(bundleFees([paying(103n, 10n), paying(205n, 10n)], market, none)).toEqual({
    ...market,
    maxFeePerGas: 136n,
    maxPriorityFeePerGas: 3n,
  })
})

test('a chain with one gas price: the least that any operation pays', () => {
  const quote = { baseFee: 0n, maxFeePerGas: 50n, maxPriorityFeePerGas: 50n, legacy: true }
  expect(bundleFees([paying(60n, 60n), paying(45n, 48n)], quote, none)).toEqual({
    ...quote,
    maxFeePerGas: 45n,
    maxPriorityFeePerGas: 45n,
  })
})

test('the market tolerates what fees move between quote and send', () => {
  expect(marketPriorityFee(market, 1000)).toBe(9n)
})

test('an offer at the price of its operations keeps a bump back', () => {
  const ops = [paying(180n, 9n)]
  const fees = bundleFees(ops, market, none)
  expect(fees).toEqual({ ...market, maxFeePerGas: 160n, maxPriorityFeePerGas: 8n })
  const ceilings = { operator: undefined, bundle: feeCeiling(ops, market) }
  expect(bumpFees(fees, market, ceilings)).toEqual({
    maxFeePerGas: 180n,
    maxPriorityFeePerGas: 9n,
    legacy: false,
  })
})

test('nothing is kept back of what the next block or the chain asks for', () => {
  expect(bundleFees([paying(112n, 10n)], market, { leastPriorityFee: 10n, deficit: 0n })).toEqual({
    ...market,
    maxFeePerGas: 110n,
    maxPriorityFeePerGas: 10n,
  })
})

test('the ceiling is what operations offer on average, by the gas that each can be charged for', () => {
  const large = userOp({ maxFeePerGas: 400n, maxPriorityFeePerGas: 40n })
  const small = userOp({
    ...{ maxFeePerGas: 100n, maxPriorityFeePerGas: 10n },
    ...{ callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: operationGas(large) / 2n },
  })
  expect(feeCeiling([large, small], market)).toEqual({ maxFeePerGas: 300n, maxPriorityFeePerGas: 30n })
})

test('a chain with one gas price has one ceiling', () => {
  const quote = { baseFee: 0n, maxFeePerGas: 50n, maxPriorityFeePerGas: 50n, legacy: true }
  expect(feeCeiling([paying(60n, 70n), paying(60n, 40n)], quote)).toEqual({
    maxFeePerGas: 50n,
    maxPriorityFeePerGas: 50n,
  })
})

describe('operations that were taken when data was cheaper', () => {
  test('lack what they would be asked for now, spread over the gas of all', () => {
    const [first, second] = [paying(300n, 20n), paying(300n, 30n)]
    const gas = operationGas(first) + operationGas(second)
    const missing = (op: UserOperation) => (op === first ? gas / 4n : 0n)
    expect(deficitOf([first, second], market, missing)).toBe(30n)
    expect(deficitOf([first, second], market, () => 0n)).toBe(0n)
  })

  test('lower the tip of their bundle by it', () => {
    const fees = bundleFees([paying(300n, 20n)], market, { leastPriorityFee: 0n, deficit: 4n })
    expect(fees).toEqual({ ...market, maxPriorityFeePerGas: 6n })
  })

  test('travel all the same, at the least tip', () => {
    const fees = (leastPriorityFee: bigint) =>
      bundleFees([paying(300n, 20n)], market, { leastPriorityFee, deficit: 40n }).maxPriorityFeePerGas
    expect([fees(0n), fees(3n), fees(15n)]).toEqual([0n, 3n, 10n])
  })
})
