import { describe, expect, test } from 'bun:test'
import type { Address } from 'viem'
import { Unavailable } from '../../../src/base/errors.ts'
import { createLog } from '../../../src/base/log.ts'
import { createMetrics } from '../../../src/base/metrics.ts'
import { createFundingAlarm } from '../../../src/bundler/money/funding-alarm.ts'
import { createPaymasterWatch } from '../../../src/bundler/money/paymaster-watch.ts'
import { createRelayerAlarm } from '../../../src/bundler/money/relayer-alarm.ts'
import type { Holding } from '../../../src/chain/balances.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import type { Alert } from '../../../src/types/ports/alerts.ts'
import type { FundingView, RelayerView, Shortage } from '../../../src/types/ports/submitter.ts'
import { address, hash } from '../../support/builders.ts'

const chainId = 1337
const [relayer, paymaster, account] = [address(1), address(2), address(3)]

function recorder() {
  const told: Alert[] = []
  return { told, alerts: { tell: (alert: Alert) => void told.push(alert) } }
}

describe('a relayer', () => {
  /** The events of a relayer that must have 100 wei, as its balance and state change. */
  function eventsOf(...views: readonly (bigint | [bigint, RelayerView['state']])[]): string[] {
    const { told, alerts } = recorder()
    const alarm = createRelayerAlarm(
      { chainId, minSignerBalance: 100n },
      { alerts, metrics: createMetrics() },
    )
    for (const view of views) {
      const [balance, state] = typeof view === 'bigint' ? [view, 'idle' as const] : view
      alarm([{ address: relayer, state, balance, nextNonce: 0 }])
    }
    return told.map((alert) => alert.event)
  }

  test('is low below one and a half times what it must have, and told so once', () => {
    expect(eventsOf(150n, 149n, 120n, 149n)).toEqual(['relayer.low-balance'])
  })

  test('is well again only when it has a tenth more than that', () => {
    expect(eventsOf(149n, 150n, 164n, 149n, 165n)).toEqual(['relayer.low-balance', 'relayer.recovered'])
  })

  test('that pauses is told, and not again while it earns itself above and below the line', () => {
    expect(eventsOf([99n, 'low-balance'], 101n, [99n, 'low-balance'], 110n, 165n)).toEqual([
      ...['relayer.paused', 'relayer.recovered'],
    ])
    expect(eventsOf(140n, [99n, 'low-balance'])).toEqual(['relayer.low-balance', 'relayer.paused'])
  })

  test('is told with its balance; each by itself', () => {
    const { told, alerts } = recorder()
    const alarm = createRelayerAlarm(
      { chainId, minSignerBalance: 100n },
      { alerts, metrics: createMetrics() },
    )
    const other: Address = address(9)
    alarm([
      { address: relayer, state: 'low-balance', balance: 5n, nextNonce: 0 },
      { address: other, state: 'idle', balance: 1000n, nextNonce: 0 },
    ])
    expect(told).toEqual([{ event: 'relayer.paused', chainId, relayer, balance: 5n }])
  })

  test('is counted by its state', async () => {
    const metrics = createMetrics()
    const alarm = createRelayerAlarm({ chainId, minSignerBalance: 100n }, { ...recorder(), metrics })
    alarm([{ address: relayer, state: 'low-balance', balance: 5n, nextNonce: 0 }])
    const text = await metrics.text()
    expect(text).toContain('tandem_relayers{chain="1337",state="low-balance"} 1')
    expect(text).toContain('tandem_relayers{chain="1337",state="idle"} 0')
  })
})

describe('a watched paymaster', () => {
  /** Deposits at 0.7 and 0.8, one pair a look, ten seconds apart. */
  async function look(...pairs: readonly (readonly [bigint, bigint] | 'unknown')[]) {
    const { told, alerts } = recorder()
    const metrics = createMetrics()
    const asked: (readonly Holding[])[] = []
    let time = 0
    let found: readonly [bigint, bigint] | 'unknown' = 'unknown'
    const watch = createPaymasterWatch(
      { chainId, versions: ['0.7', '0.8'], watchedPaymasters: [paymaster], minPaymasterDeposit: 100n },
      {
        ...{ alerts, metrics, log: createLog({ level: 'silent' }), now: () => time },
        balances: {
          async read(holdings) {
            asked.push(holdings)
            if (found === 'unknown') throw new Unavailable('node')
            return found
          },
        },
      },
    )
    for (const pair of pairs) {
      found = pair
      await watch.look({ number: 1, hash: hash(1) })
      time += 10_000
    }
    return { told, asked, report: watch.report(), metrics }
  }

  test('has what it has at all EntryPoints together', async () => {
    const { told, asked, report, metrics } = await look([100n, 0n])
    expect(told).toEqual([])
    expect(asked).toEqual([
      [
        { account: paymaster, at: entryPoints['0.7'].address },
        { account: paymaster, at: entryPoints['0.8'].address },
      ],
    ])
    expect(report).toEqual([
      { paymaster, entryPoint: entryPoints['0.7'].address, deposit: 100n, isWatched: true, isLow: false },
      { paymaster, entryPoint: entryPoints['0.8'].address, deposit: 0n, isWatched: true, isLow: false },
    ])
    expect(await metrics.text()).toContain(
      `tandem_paymaster_deposit_wei{chain="1337",paymaster="${paymaster}"} 100`,
    )
  })

  test('is told to be low once, and well when it has a tenth more', async () => {
    const { told } = await look([50n, 49n], [99n, 0n], [100n, 0n], [109n, 0n], [0n, 110n])
    expect(told).toEqual([
      { event: 'paymaster.low-deposit', chainId, paymaster, deposit: 99n },
      { event: 'paymaster.recovered', chainId, paymaster, deposit: 110n },
    ])
  })

  test('that nobody could read is not low', async () => {
    expect(await look('unknown')).toMatchObject({ told: [], report: [] })
    const { told, report } = await look([99n, 0n], 'unknown')
    expect(told.length).toBe(1)
    expect(report).toMatchObject([{ deposit: 99n }, { deposit: 0n }])
  })

  test('is read every ten seconds, not with every block', async () => {
    let reads = 0
    let time = 0
    const watch = createPaymasterWatch(
      { chainId, versions: ['0.7'], watchedPaymasters: [paymaster], minPaymasterDeposit: 0n },
      {
        ...recorder(),
        ...{ metrics: createMetrics(), log: createLog({ level: 'silent' }), now: () => time },
        balances: {
          async read() {
            reads += 1
            return [1n]
          },
        },
      },
    )
    for (time of [0, 9_999, 10_000]) await watch.look({ number: 1, hash: hash(1) })
    expect(reads).toBe(2)
  })
})

test('a funding account that is short is told once, and well when it was not for ten minutes', () => {
  const { told, alerts } = recorder()
  let time = 0
  const alarm = createFundingAlarm({ chainId }, { alerts, now: () => time })
  const view = (shortage: Shortage): FundingView => ({
    ...{ address: account, state: 'idle', balance: 7n, nextNonce: 0 },
    ...{ spent: 5n, dailyLimit: 5n, shortage },
  })
  const steps: (readonly [minutes: number, shortage: Shortage])[] = [
    [0, 'none'],
    [1, 'daily-limit'],
    [2, 'none'],
  ]
  steps.push([11, 'daily-limit'], [12, 'none'], [21, 'none'], [22, 'none'])
  for (const [minutes, shortage] of steps) {
    time = minutes * 60_000
    alarm(view(shortage))
  }
  const about = { chainId, account, balance: 7n, reason: 'daily-limit' as const }
  expect(told).toEqual([
    { event: 'funding.short', ...about },
    { event: 'funding.recovered', ...about },
  ])
})
