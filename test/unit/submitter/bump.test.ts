import { expect, test } from 'bun:test'
import { bumpFees } from '../../../src/bundler/submitter/bump.ts'

const last = { maxFeePerGas: 800n, maxPriorityFeePerGas: 80n }
/** No ceilings. */
const free = { operator: undefined, bundle: undefined }
const cheap = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, legacy: false }

test('both fees rise by an eighth when the market asks for less', () => {
  expect(bumpFees(last, cheap, free)).toEqual({
    maxFeePerGas: 900n,
    maxPriorityFeePerGas: 90n,
    legacy: false,
  })
})

test('the market price is offered when it is above the bump', () => {
  const market = { maxFeePerGas: 5000n, maxPriorityFeePerGas: 500n, legacy: false }
  expect(bumpFees(last, market, free)).toEqual(market)
})

test('each fee is raised on its own', () => {
  const market = { maxFeePerGas: 5000n, maxPriorityFeePerGas: 1n, legacy: false }
  expect(bumpFees(last, market, free)).toEqual({
    maxFeePerGas: 5000n,
    maxPriorityFeePerGas: 90n,
    legacy: false,
  })
})

test('an eighth is rounded up', () => {
  expect(bumpFees({ maxFeePerGas: 801n, maxPriorityFeePerGas: 9n }, cheap, free)).toEqual({
    maxFeePerGas: 902n,
    maxPriorityFeePerGas: 11n,
    legacy: false,
  })
})

test('a fee of zero becomes one', () => {
  expect(bumpFees({ maxFeePerGas: 8n, maxPriorityFeePerGas: 0n }, cheap, free)).toEqual({
    maxFeePerGas: 9n,
    maxPriorityFeePerGas: 1n,
    legacy: false,
  })
})

test('the market is followed up to the ceiling only', () => {
  const market = { maxFeePerGas: 5000n, maxPriorityFeePerGas: 4000n, legacy: false }
  expect(bumpFees(last, market, { ...free, operator: 950n })).toEqual({
    maxFeePerGas: 950n,
    maxPriorityFeePerGas: 950n,
    legacy: false,
  })
})

test('exactly the ceiling is still allowed', () => {
  expect(bumpFees(last, cheap, { ...free, operator: 900n })?.maxFeePerGas).toBe(900n)
})

test('a ceiling below the least that nodes accept leaves nothing to offer', () => {
  expect(bumpFees(last, cheap, { ...free, operator: 899n })).toBeUndefined()
})

test('a legacy transaction has one price', () => {
  expect(
    bumpFees({ maxFeePerGas: 800n, maxPriorityFeePerGas: 800n }, { ...cheap, legacy: true }, free),
  ).toEqual({
    maxFeePerGas: 900n,
    maxPriorityFeePerGas: 900n,
    legacy: true,
  })
})

test('a hundred bumps in a row all pass the nodes’ ten per cent', () => {
  let fees = { maxFeePerGas: 3n, maxPriorityFeePerGas: 0n }
  for (let round = 0; round < 100; round++) {
    const next = bumpFees(fees, cheap, free)
    if (next === undefined) throw new Error('no ceiling was given')
    expect(next.maxFeePerGas * 10n).toBeGreaterThanOrEqual(fees.maxFeePerGas * 11n)
    expect(next.maxPriorityFeePerGas * 10n).toBeGreaterThanOrEqual(fees.maxPriorityFeePerGas * 11n)
    expect(next.maxPriorityFeePerGas).toBeGreaterThan(fees.maxPriorityFeePerGas)
    expect(next.maxPriorityFeePerGas).toBeLessThanOrEqual(next.maxFeePerGas)
    fees = next
  }
})
