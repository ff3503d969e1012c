import { describe, expect, test } from 'bun:test'
import { gasPriceIn, raisedTo } from '../../../../src/chain/explorer/gas-price.ts'
import type { FeeQuote } from '../../../../src/types/block.ts'

const gwei = 1_000_000_000n

/** As docs.etherscan.io shows it for Ethereum. */
const documented = {
  LastBlock: '23467872',
  SafeGasPrice: '0.496839934',
  ProposeGasPrice: '0.496840168',
  FastGasPrice: '0.55411917',
  suggestBaseFee: '0.496839934',
  gasUsedRatio: '0.40594255555555',
}

describe('a gas oracle answer', () => {
  test('is read in wei', () => {
    expect(gasPriceIn(documented)).toEqual({ proposed: 496_840_168n, baseFee: 496_839_934n })
  })

  test('may lack the base fee, as on chains without one', () => {
    expect(gasPriceIn({ ProposeGasPrice: '3', UsdPrice: '600' })).toEqual({
      proposed: 3n * gwei,
      baseFee: undefined,
    })
  })

  test('that cannot be read is none', () => {
    const answers = [
      null,
      'text',
      [],
      {},
      ...[3, '-1', '1e9', ''].map((ProposeGasPrice) => ({ ProposeGasPrice })),
    ]
    expect(answers.map(gasPriceIn)).toEqual(answers.map(() => undefined))
  })
})

describe('what the node says', () => {
  const quote: FeeQuote = {
    ...{ baseFee: 10n * gwei, maxFeePerGas: 21n * gwei, maxPriorityFeePerGas: gwei },
    legacy: false,
  }

  test('stands where the explorer proposes less', () => {
    expect(raisedTo(quote, { proposed: 10n * gwei, baseFee: 10n * gwei })).toEqual(quote)
  })

  test('is raised to a higher tip, with the same room for the base fee', () => {
    expect(raisedTo(quote, { proposed: 13n * gwei, baseFee: 10n * gwei })).toEqual({
      ...quote,
      maxFeePerGas: 23n * gwei,
      maxPriorityFeePerGas: 3n * gwei,
    })
  })

  test('is raised to the proposal when a base fee rises faster than the node knows', () => {
    expect(raisedTo(quote, { proposed: 40n * gwei, baseFee: 39n * gwei })).toEqual({
      ...quote,
      maxFeePerGas: 40n * gwei,
    })
  })

  test('stands against a proposal that nobody can believe', () => {
    expect(raisedTo(quote, { proposed: 43n * gwei, baseFee: gwei })).toEqual(quote)
  })

  test('is one price on a chain without a base fee', () => {
    const legacy = { baseFee: 0n, maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: 2n * gwei, legacy: true }
    expect(raisedTo(legacy, { proposed: 3n * gwei, baseFee: undefined })).toEqual({
      ...legacy,
      maxFeePerGas: 3n * gwei,
      maxPriorityFeePerGas: 3n * gwei,
    })
  })
})
