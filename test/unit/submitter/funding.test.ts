import { describe, expect, test } from 'bun:test'
import { decodeFunctionData, parseAbi, parseEther, parseTransaction } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type Balance, type Means, planTopUps } from '../../../src/bundler/submitter/funding/plan.ts'
import { createSpending } from '../../../src/bundler/submitter/funding/spending.ts'
import { transfersOf } from '../../../src/bundler/submitter/funding/transfer.ts'
import { signBundle, signReplacement } from '../../../src/bundler/submitter/sign.ts'
import { fundingPeriod } from '../../../src/types/funding.ts'
import { address } from '../../support/builders.ts'
import { market, transaction } from './builders.ts'

const [first, second, third] = [address(1), address(2), address(3)]

describe('a plan', () => {
  const plan = (balances: readonly bigint[], means: Partial<Means> = {}) =>
    planTopUps(
      balances.map((balance, index): Balance => ({ address: address(index + 1), balance })),
      { below: 20n, to: 40n, allowed: 1000n, available: 1000n, ...means },
    )

  test('fills up who has too little, and nobody else', () => {
    expect(plan([5n, 20n, 19n])).toEqual({
      grants: [
        { address: first, amount: 35n },
        { address: third, amount: 21n },
      ],
      shortage: 'none',
    })
  })

  test('begins with who has least', () => {
    expect(plan([15n, 5n, 10n]).grants.map((grant) => grant.address)).toEqual([second, third, first])
  })

  test('keeps within the daily limit', () => {
    expect(plan([5n, 10n], { allowed: 50n })).toEqual({
      grants: [
        { address: first, amount: 35n },
        { address: second, amount: 15n },
      ],
      shortage: 'daily-limit',
    })
  })

  test('keeps within what the funding account has', () => {
    expect(plan([5n], { available: 20n })).toEqual({
      grants: [{ address: first, amount: 20n }],
      shortage: 'funds',
    })
  })

  test('gives nothing that would not lift a relayer to the threshold', () => {
    expect(plan([5n, 10n], { allowed: 14n })).toEqual({
      grants: [{ address: second, amount: 14n }],
      shortage: 'daily-limit',
    })
    expect(plan([5n, 10n], { allowed: 9n })).toEqual({ grants: [], shortage: 'daily-limit' })
  })

  test('is empty when nobody needs anything, whatever there is', () => {
    expect(plan([20n, 100n], { allowed: 0n, available: 0n })).toEqual({ grants: [], shortage: 'none' })
  })
})

describe('spending', () => {
  test('counts for a day from the signing on', () => {
    const spending = createSpending([])
    spending.add('a', 5n, 1000)
    spending.add('b', 7n, 2000)
    expect(spending.total(1000 + fundingPeriod - 1)).toBe(12n)
    expect(spending.total(1000 + fundingPeriod)).toBe(7n)
    expect(spending.total(2000 + fundingPeriod)).toBe(0n)
  })

  test('forgets what was never paid', () => {
    const spending = createSpending([])
    spending.add('a', 5n, 0)
    spending.remove('a')
    expect(spending.total(0)).toBe(0n)
  })

  test('starts with what the journal has: each top-up once, whatever versions it has', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const order = {
      ...{ chainId: 1, bundleId: 'funding-1', relayer: account.address, to: first, data: '0x' as const },
      ...{ value: parseEther('2'), gasLimit: 21_000n, fees: market, ceiling: market },
      ...{ operations: [], authorizations: [] },
    }
    const signed = await signBundle(account, order, { nonce: 0, createdAt: 0, list: undefined })
    const replaced = await signReplacement(account, signed, { fees: market, createdAt: 5 })
    const cancelled = transaction('c', { bundleId: 'funding-1', kind: 'cancel' })
    expect(parseTransaction(replaced.raw).value).toBe(parseEther('2'))
    expect(createSpending([signed, replaced, cancelled]).total(10)).toBe(parseEther('2'))
  })
})

describe('transfers', () => {
  const grants = [
    { address: first, amount: 3n },
    { address: second, amount: 4n },
  ]
  const alone = grants.map((grant) => ({
    ...{ to: grant.address, data: '0x', value: grant.amount, grants: [grant] },
  }))

  test('pay several at once through a Multicall3, or all by themselves if that fails', () => {
    const [together, ...rest] = transfersOf(grants, third)
    expect(together).toMatchObject({ to: third, value: 7n, grants })
    const abi = parseAbi([
      'function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[])',
    ])
    expect(decodeFunctionData({ abi, data: together?.data ?? '0x' }).args).toEqual([
      [
        { target: first, allowFailure: false, value: 3n, callData: '0x' },
        { target: second, allowFailure: false, value: 4n, callData: '0x' },
      ],
    ])
    expect(rest).toEqual(alone as typeof rest)
  })

  test('are plain without one, and for a single relayer', () => {
    expect(transfersOf(grants, undefined)).toEqual(alone as ReturnType<typeof transfersOf>)
    expect(transfersOf(grants.slice(0, 1), third)).toEqual(
      alone.slice(0, 1) as ReturnType<typeof transfersOf>,
    )
  })
})
