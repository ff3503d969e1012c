import { expect, test } from 'bun:test'
import { createMetrics } from '../../../src/base/metrics.ts'
import { createAccounts } from '../../../src/bundler/money/accounts.ts'
import type { BundleEvent } from '../../../src/types/ports/submitter.ts'
import { hash } from '../../support/builders.ts'

const eth = 10n ** 18n
const about = (bundleId: string) => ({ chainId: 1, bundleId, operations: [hash(9)] })

function mined(
  bundleId: string,
  cost: bigint,
  revenue: bigint,
  changes: Partial<{ reverted: boolean }> = {},
) {
  return {
    ...{
      ...about(bundleId),
      kind: 'mined' as const,
      transactionHash: hash(1),
      block: { number: 1, hash: hash(1) },
    },
    ...{ reverted: false, gasUsed: 1n, effectiveGasPrice: 1n, cost, revenue },
    ...changes,
  }
}
const finalized = (bundleId: string) =>
  ({ ...about(bundleId), kind: 'finalized', transactionHash: hash(1) }) as const

/** What the metrics say after these events, without comments. */
async function after(...events: readonly BundleEvent[]): Promise<Record<string, number>> {
  const metrics = createMetrics()
  const accounts = createAccounts({ chainId: 1 }, metrics)
  for (const event of events) accounts.onBundle(event)
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines
      .filter((line) => !line.includes('_bucket'))
      .map((line) => {
        const at = line.lastIndexOf(' ')
        return [line.slice('tandem_'.length, at), Number(line.slice(at + 1))]
      }),
  )
}

test('a mined bundle is a profit that a reorg may still undo', async () => {
  expect(await after(mined('a', eth, 3n * eth))).toEqual({
    'bundle_profit_unsettled_native{chain="1"}': 2,
  })
})

test('a final one is counted, once', async () => {
  expect(await after(mined('a', eth, 3n * eth), finalized('a'), finalized('a'))).toEqual({
    'bundle_cost_native_total{chain="1",outcome="included"}': 1,
    'bundle_revenue_native_total{chain="1"}': 3,
    'bundle_margin_ratio_sum{chain="1"}': 2,
    'bundle_margin_ratio_count{chain="1"}': 1,
    'bundle_profit_unsettled_native{chain="1"}': 0,
  })
})

test('one that reverted is a loss', async () => {
  expect(await after(mined('a', eth, 0n, { reverted: true }), finalized('a'))).toMatchObject({
    'bundle_cost_native_total{chain="1",outcome="reverted"}': 1,
    'bundle_revenue_native_total{chain="1"}': 0,
    'bundle_margin_ratio_sum{chain="1"}': -1,
  })
})

test('what a reorg took out counts where it is mined again, at what it cost there', async () => {
  const unmined = { ...about('a'), kind: 'unmined', transactionHash: hash(1) } as const
  expect(await after(mined('a', eth, 3n * eth), unmined)).toMatchObject({
    'bundle_profit_unsettled_native{chain="1"}': 0,
  })
  expect(
    await after(mined('a', eth, 3n * eth), unmined, mined('a', 2n * eth, 3n * eth), finalized('a')),
  ).toMatchObject({
    'bundle_cost_native_total{chain="1",outcome="included"}': 2,
    'bundle_revenue_native_total{chain="1"}': 3,
  })
})

test('what a reorg took out for good does not count', async () => {
  const unmined = { ...about('a'), kind: 'unmined', transactionHash: hash(1) } as const
  const abandoned = { ...about('a'), kind: 'abandoned', reason: 'nonce used' } as const
  const counted = await after(mined('a', eth, 3n * eth), unmined, abandoned, finalized('a'))
  expect(Object.keys(counted).filter((name) => name.includes('_total'))).toEqual([])
})

test('a cancellation costs, when it is final', async () => {
  const cancelled = { ...about('a'), kind: 'abandoned', reason: 'cancelled', cost: eth } as const
  expect(await after(cancelled, finalized('a'))).toMatchObject({
    'bundle_cost_native_total{chain="1",outcome="cancelled"}': 1,
  })
  const gap = { ...mined('a', eth, 0n), operations: [] }
  expect(await after(gap, finalized('a'))).toMatchObject({
    'bundle_cost_native_total{chain="1",outcome="cancelled"}': 1,
  })
})
