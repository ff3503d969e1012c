import { Elysia } from 'elysia'
import type { Context } from '../../base/context.ts'
import { describe } from '../../base/errors.ts'
import type { ChainInspector, ServiceReadiness } from '../../types/ports/operator.ts'
import { chainRoutes } from './chain-routes.ts'
import { refuseForeignHost } from './loopback.ts'
import { metricsRoute } from './metrics.ts'
import { formatReadiness, readinessSchema } from './readiness.ts'

export type OperatorModules = Context & {
  /** Chains appear as they start. */
  inspectors: ReadonlyMap<number, ChainInspector>
  readiness: () => Promise<ServiceReadiness>
}

/**
 * What only the operator may see, for a listener on 127.0.0.1: `/ready` with what is missing, `/metrics`, and the
 * chains with their pools, relayers and reputations. It asks for no password, and so answers to no foreign host name
 * and sends nothing that lets a web page read it.
 */
export function createOperatorApp({ log, metrics, inspectors, readiness }: OperatorModules) {
  return new Elysia({ serve: { reusePort: false, development: false } })
    .onRequest(({ request }) => refuseForeignHost(request))
    .onError({ as: 'global' }, ({ code, error }) => {
      if (code === 'NOT_FOUND') return Response.json({ error: 'not found' }, { status: 404 })
      if (code === 'VALIDATION' && error.type !== 'response')
        return Response.json({ error: 'limit is from 1 to 500, offset from 0' }, { status: 400 })
      log.error('request failed', { error: describe(error) })
      return Response.json({ error: 'internal error' }, { status: 500 })
    })
    .use(metricsRoute(metrics))
    .get('/health', () => Response.json({ alive: true }))
    .get(
      '/ready',
      async ({ status }) => {
        const answer = formatReadiness(await readiness())
        return status(answer.ready ? 200 : 503, answer)
      },
      { response: { 200: readinessSchema, 503: readinessSchema } },
    )
    .use(chainRoutes(inspectors))
}
