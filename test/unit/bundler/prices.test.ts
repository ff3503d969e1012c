import { describe, expect, test } from 'bun:test'
import { createPrices } from '../../../src/bundler/prices.ts'
import type { Market } from '../../../src/types/ports/data-fee.ts'
import { userOp } from '../../support/builders.ts'
import { free } from './support.ts'

/** Prices of a chain on which a million L1 wei are one gas; the market and the time are as the test sets them. */
function pricesAt(start: Partial<{ l1BaseFee: bigint; maxFeePerGas: bigint; baseFee: bigint }> = {}) {
  const state = { now: 0, l1BaseFee: 100n, maxFeePerGas: 30n, baseFee: 10n, ...start }
  const data = () => ({
    kind: 'op-stack' as const,
    ...{ l1BaseFee: state.l1BaseFee, blobBaseFee: 0n, baseFeeScalar: 1n, blobBaseFeeScalar: 0n },
    ...{ operatorFeePerMillionGas: 0n, operatorFeeConstant: 0n },
  })
  const prices = createPrices(
    { gasPriceMarkup: 0, quoteValidity: 60 },
    {
      fees: {
        quote: async () => ({ ...free, baseFee: state.baseFee, maxFeePerGas: state.maxFeePerGas }),
      },
      dataFees: { prices: async () => data() },
      preVerificationGas: (_op, { data }: Market) => (data.kind === 'op-stack' ? data.l1BaseFee : 0n),
      now: () => state.now,
    },
  )
  return { prices, state, needed: async () => (await prices.asked(userOp())).preVerificationGas }
}

describe('what was quoted', () => {
  test('is asked for at most while it holds, and then what holds now', async () => {
    const { prices, state, needed } = pricesAt({ l1BaseFee: 100n })
    expect(await prices.preVerificationGas(userOp())).toBe(100n)
    state.l1BaseFee = 150n
    state.now = 59_999
    expect(await needed()).toBe(100n)
    state.now = 60_000
    expect(await needed()).toBe(150n)
  })

  test('holds from the last time that it was quoted', async () => {
    const { prices, state, needed } = pricesAt({ l1BaseFee: 100n })
    await prices.preVerificationGas(userOp())
    state.now = 50_000
    await prices.preVerificationGas(userOp())
    state.l1BaseFee = 150n
    state.now = 109_999
    expect(await needed()).toBe(100n)
  })

  test('is the lowest of several', async () => {
    const { prices, state, needed } = pricesAt()
    for (const price of [120n, 90n, 140n]) {
      state.l1BaseFee = price
      await prices.preVerificationGas(userOp())
    }
    state.l1BaseFee = 200n
    expect(await needed()).toBe(90n)
  })

  test('does not keep a lower price of now away', async () => {
    const { prices, state, needed } = pricesAt({ l1BaseFee: 100n })
    await prices.preVerificationGas(userOp())
    state.l1BaseFee = 40n
    expect(await needed()).toBe(40n)
  })

  test('covers the recommended fees, but not the base fee', async () => {
    const { prices, state } = pricesAt({ maxFeePerGas: 30n, baseFee: 10n })
    expect((await prices.recommended()).maxFeePerGas).toBe(30n)
    Object.assign(state, { maxFeePerGas: 50n, baseFee: 20n })
    expect((await prices.asked(userOp())).quote).toMatchObject({ maxFeePerGas: 30n, baseFee: 20n })
  })
})

test('a price that nobody was told is not held', async () => {
  const { state, needed } = pricesAt({ l1BaseFee: 100n })
  expect(await needed()).toBe(100n)
  state.l1BaseFee = 150n
  expect(await needed()).toBe(150n)
})

test('what is remembered is bounded', async () => {
  const { prices, state, needed } = pricesAt()
  for (let price = 1n; price <= 1001n; price++) {
    state.l1BaseFee = price
    await prices.preVerificationGas(userOp())
  }
  state.l1BaseFee = 5000n
  expect(await needed()).toBe(2n)
})
