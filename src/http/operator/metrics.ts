import { Elysia } from 'elysia'
import type { Metrics } from '../../base/metrics.ts'

/** Prometheus' text exposition format. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** `GET /metrics` for Prometheus. */
export function metricsRoute(metrics: Metrics) {
  return new Elysia().get('/metrics', async () => {
    return new Response(await metrics.text(), { headers: { 'content-type': contentType } })
  })
}
