import { expect, test } from 'bun:test'
import { createLog, type LogFields } from '../../../src/base/log.ts'
import { createMetrics } from '../../../src/base/metrics.ts'
import { createAlerts } from '../../../src/service/alerts.ts'
import { createReadinessAlarm } from '../../../src/service/readiness-alarm.ts'
import type { Alert } from '../../../src/types/ports/alerts.ts'
import { address } from '../../support/builders.ts'

test('an alert goes to the log, the metrics and the webhook', async () => {
  const lines: string[] = []
  const bodies: LogFields[] = []
  const metrics = createMetrics()
  const alerts = createAlerts({
    log: createLog({ level: 'debug', write: (line) => lines.push(line) }),
    metrics,
    webhook: { send: (body) => void bodies.push(body) },
    now: () => 0,
  })
  const about = { chainId: 1, relayer: address(1), balance: 5n }
  alerts.tell({ event: 'relayer.paused', ...about })
  alerts.tell({ event: 'relayer.recovered', ...about })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', message: 'relayer.paused', chainId: 1, relayer: address(1), balance: '5' },
    { level: 'info', message: 'relayer.recovered' },
  ])
  const sent = { id: expect.any(String), timestamp: '1970-01-01T00:00:00.000Z', ...about }
  expect(bodies).toEqual([
    { ...sent, event: 'relayer.paused' },
    { ...sent, event: 'relayer.recovered' },
  ])
  expect(bodies[0]?.id).not.toBe(bodies[1]?.id as string)
  expect(await metrics.text()).toContain('tandem_alerts_total{event="relayer.paused"} 1')
})

test('what is missing for half a minute is told, of each chain and of the service, and when it is back', () => {
  const told: Alert[] = []
  let time = 0
  const alarm = createReadinessAlarm({ alerts: { tell: (alert) => void told.push(alert) }, now: () => time })
  const look = (seconds: number, own: readonly string[], ofChain: readonly string[]) => {
    time = seconds * 1000
    alarm({
      ...{ ready: false, missing: [], own },
      chains: [
        { chainId: 1, ready: false, missing: ofChain },
        { chainId: 2, ready: true, missing: [] },
      ],
    })
  }
  look(0, ['a working store'], ['a fresh head'])
  look(20, [], ['a fresh head'])
  look(30, ['a working store'], ['a fresh head'])
  look(59, ['a working store'], [])
  look(60, ['a working store'], [])
  look(89, [], [])
  look(119, [], [])
  expect(told).toEqual([
    { event: 'chain.not-ready', chainId: 1, missing: ['a fresh head'] },
    { event: 'service.not-ready', missing: ['a working store'] },
    { event: 'chain.ready', chainId: 1, missing: [] },
    { event: 'service.ready', missing: [] },
  ])
})
