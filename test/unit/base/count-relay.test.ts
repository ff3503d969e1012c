import { expect, test } from 'bun:test'
import { addCounted, createCountRelay } from '../../../src/base/count-relay.ts'
import { createMetrics } from '../../../src/base/metrics.ts'

test('what one thread counted adds to what another did, once', async () => {
  const [there, here] = [createMetrics(), createMetrics()]
  const counted = createCountRelay(there)
  const runs = there.counter('runs_total', 'Runs.', ['kind'])
  here.counter('runs_total', 'Runs.', ['kind']).inc({ kind: 'warm' }, 5)

  runs.inc({ kind: 'warm' }, 2)
  runs.inc({ kind: 'cold' })
  addCounted(here, await counted())
  addCounted(here, await counted())
  runs.inc({ kind: 'warm' })
  addCounted(here, await counted())

  expect(await here.counters()).toEqual([
    {
      name: 'runs_total',
      help: 'Runs.',
      values: [
        { labels: { kind: 'warm' }, value: 8 },
        { labels: { kind: 'cold' }, value: 1 },
      ],
    },
  ])
})

test('nothing new is nothing to tell, and a gauge is no count', async () => {
  const metrics = createMetrics()
  metrics.gauge('open', 'Open.').set(3)
  metrics.counter('runs_total', 'Runs.')
  expect(await createCountRelay(metrics)()).toEqual([])
})

test('the text of metrics waits for what is counted elsewhere', async () => {
  const metrics = createMetrics()
  const runs = metrics.counter('runs_total', 'Runs.')
  metrics.beforeText(async () => {
    await Promise.resolve()
    runs.inc()
  })
  expect(await metrics.text()).toContain('tandem_runs_total 1')
})
