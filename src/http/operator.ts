import { Elysia } from 'elysia'
import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import type { Readiness } from '../types/ports/bundler.ts'
import { metricsRoute } from './metrics.ts'

/** What only the operator may see: `/ready` with what is missing, `/metrics`. For a listener on 127.0.0.1. */
export function createOperatorApp(modules: Context & { readiness: () => Promise<Readiness> }) {
  const { log, metrics, readiness } = modules
  return new Elysia({ serve: { reusePort: false, development: false } })
    .onError({ as: 'global' }, ({ code, error }) => {
      if (code === 'NOT_FOUND') return Response.json({ error: 'not found' }, { status: 404 })
      log.error('request failed', { error: describe(error) })
      return Response.json({ error: 'internal error' }, { status: 500 })
    })
    .use(metricsRoute(metrics))
    .get('/health', () => Response.json({ alive: true }))
    .get('/ready', async () => {
      const { ready, missing } = await readiness()
      return Response.json({ ready, missing }, { status: ready ? 200 : 503 })
    })
}
