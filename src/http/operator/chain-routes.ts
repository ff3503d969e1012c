import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { ChainInspector } from '../../types/ports/operator.ts'
import { formatOverview, overviewSchema } from './overview.ts'
import { formatPaymasters, paymastersSchema } from './paymasters.ts'
import { formatPool, pageSchema, poolSchema } from './pool.ts'
import { formatRelayers, relayersSchema } from './relayers.ts'
import { reputationSchema } from './reputation.ts'

const chainsSchema = Type.Object({ chains: Type.Array(overviewSchema) })
const errorSchema = Type.Object({ error: Type.String() })

/** The chains and what is in them, as JSON; ages in seconds, amounts in wei. */
export function chainRoutes(inspectors: ReadonlyMap<number, ChainInspector>) {
  return new Elysia()
    .get(
      '/chains',
      () => ({
        chains: [...inspectors.values()].map((chain) => formatOverview(chain.overview(), chain.readiness())),
      }),
      { response: chainsSchema },
    )
    .group('/chains/:chainId', { response: { 404: errorSchema } }, (chain) =>
      chain
        .resolve(({ params, status }) => {
          const inspector = inspectors.get(Number(params.chainId))
          if (inspector === undefined) return status(404, { error: `not served: chain ${params.chainId}` })
          return { inspector }
        })
        .get('/pool', ({ inspector, query }) => formatPool(inspector.pool(query), query.offset), {
          query: pageSchema,
          response: { 200: poolSchema },
        })
        .get('/relayers', async ({ inspector }) => formatRelayers(await inspector.relayers(), Date.now()), {
          response: { 200: relayersSchema },
        })
        .get('/paymasters', ({ inspector, query }) => formatPaymasters(inspector.paymasters(), query), {
          query: pageSchema,
          response: { 200: paymastersSchema },
        })
        .get('/reputation', ({ inspector }) => ({ entities: [...inspector.reputation()] }), {
          response: { 200: reputationSchema },
        }),
    )
}
