import { expect, test } from 'bun:test'
import { createMetrics } from '../../../src/base/metrics.ts'

test('the same name is the same metric, with a prefix', async () => {
  const metrics = createMetrics()
  metrics.counter('sent_total', 'Sent.', ['chain']).inc({ chain: 1 })
  metrics.counter('sent_total', 'Sent.', ['chain']).inc({ chain: 1 }, 2)
  metrics.gauge('depth', 'Depth.').set(4)
  expect(await metrics.text()).toBe(
    [
      '# HELP tandem_sent_total Sent.',
      '# TYPE tandem_sent_total counter',
      'tandem_sent_total{chain="1"} 3',
      '',
      '# HELP tandem_depth Depth.',
      '# TYPE tandem_depth gauge',
      'tandem_depth 4',
      '',
    ].join('\n'),
  )
})

test('registries do not share metrics', async () => {
  createMetrics().gauge('depth', 'Depth.').set(4)
  expect((await createMetrics().text()).trim()).toBe('')
})

test('histograms count seconds unless told otherwise', async () => {
  const metrics = createMetrics()
  metrics.histogram('wait_seconds', 'Wait.').observe(0.003)
  metrics.histogram('size', 'Size.', [], [1, 10]).observe(5)
  const text = await metrics.text()
  expect(text).toContain(
    'tandem_wait_seconds_bucket{le="0.0025"} 0\ntandem_wait_seconds_bucket{le="0.005"} 1',
  )
  expect(text).toContain('tandem_size_bucket{le="1"} 0\ntandem_size_bucket{le="10"} 1')
})
