import type { Server } from 'bun'
import { Elysia } from 'elysia'
import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import { createRateLimiter } from '../base/rate.ts'
import { createDispatcher } from '../rpc/dispatch.ts'
import { createRegistry } from '../rpc/registry.ts'
import { createRespond } from './answers.ts'
import { createChainRouter, type ServedChain } from './chains.ts'
import { createClientAddress, type ForwardingHeader } from './client-address.ts'
import { createCors, preflightHeaders } from './cors.ts'
import { createPostHandler } from './post.ts'
import { type ConnectionLimits, createConnections } from './websocket.ts'
import { websocketRoute } from './websocket-route.ts'

export type AppOptions = {
  /** Chains that are configured, whether they have started or not. */
  chainCount: number
  /** The debug_bundler_* methods exist. */
  testing: boolean
  /** `tandem/<version>` */
  clientVersion: string
  /** Browser origins that may call; `*` is any. */
  corsOrigins: readonly string[]
  /** Addresses and ranges that are believed about whom they call for. */
  trustedProxies: readonly string[]
  /** The header in which they say it. */
  forwardingHeader: ForwardingHeader
  limits: ConnectionLimits & {
    /** bytes */
    maxBodySize: number
    /** calls */
    maxBatch: number
    /** calls of one client a second; 0 is no limit */
    clientRate: number
    /** calls of one client at once, after a rest */
    clientBurst: number
  }
}

export type AppModules = Context & {
  /** Chains appear as they start. */
  chains: ReadonlyMap<number, ServedChain>
  readiness: () => Promise<{ ready: boolean }>
}

/** s without a byte after which a connection is closed: longer than the longest call, eth_sendUserOperationSync */
const idleTimeout = 90
/** bytes that a WebSocket client may leave unread before it is disconnected: some thousand pushes */
const maxUnread = 4 * 1024 * 1024
/** The server's own bound only keeps a connection from sending for ever: ours comes first and has an answer. */
const serverBodyBound = 1024 * 1024 * 1024

/**
 * The public server: JSON-RPC by POST and WebSocket at `/v1/<chain id>` and `/`, `/health`, `/ready`.
 * A path that leads to no chain is HTTP 404 with a JSON-RPC error that names the chains; a body over the limit is
 * HTTP 413 with one; every other JSON-RPC answer is HTTP 200, with an empty body for notifications.
 */
export function createApp(options: AppOptions, modules: AppModules) {
  const { log, metrics, readiness } = modules
  const { limits, testing, clientVersion } = options
  const router = createChainRouter({ configured: options.chainCount }, modules.chains)
  const cors = createCors(options.corsOrigins)
  const respond = createRespond(cors)
  const registry = createRegistry({ testing })
  const { clientRate: perSecond, clientBurst: burst } = limits
  const limiter = perSecond === 0 ? undefined : createRateLimiter({ perSecond, burst })
  const addressOf = createClientAddress({
    trustedProxies: options.trustedProxies,
    header: options.forwardingHeader,
  })
  const dispatch = createDispatcher(
    { maxBatch: limits.maxBatch, clientVersion },
    { log, metrics, registry, limiter },
  )
  const post = createPostHandler(limits, { dispatch, respond })
  const sockets = createConnections(limits, { dispatch, metrics })

  const app = new Elysia({
    serve: { reusePort: false, maxRequestBodySize: serverBodyBound, idleTimeout, development: false },
    websocket: {
      maxPayloadLength: limits.maxBodySize,
      backpressureLimit: maxUnread,
      closeOnBackpressureLimit: true,
      idleTimeout,
    },
  })
    .onError({ as: 'global' }, ({ request, code, error }) => {
      if (code === 'NOT_FOUND') {
        return respond(request, { error: 'not found: JSON-RPC is POST /v1/<chain id>/' }, 404)
      }
      log.error('request failed', { error: describe(error) })
      return respond(request, { error: 'internal error' }, 500)
    })
    .post(
      '/v1/:chainId',
      ({ request, server, params: { chainId } }) =>
        post(request, router.byId(chainId), callerOf(request, server)),
      { parse: 'none' },
    )
    .post(
      '/',
      ({ request, server }) =>
        post(request, router.byHost(request.headers.get('host')), callerOf(request, server)),
      { parse: 'none' },
    )
    .ws(
      '/v1/:chainId',
      websocketRoute(({ params }) => router.byId(params.chainId), { sockets, respond, addressOf }),
    )
    .ws(
      '/',
      websocketRoute(({ request }) => router.byHost(request.headers.get('host')), {
        sockets,
        respond,
        addressOf,
      }),
    )
    .options('/*', ({ request }) => {
      const headers = { ...cors(request.headers.get('origin')), ...preflightHeaders }
      return new Response(null, { status: 204, headers })
    })
    .get('/health', ({ request }) => respond(request, { alive: true }))
    .get('/ready', async ({ request }) => {
      const { ready } = await readiness()
      return respond(request, { ready }, ready ? 200 : 503)
    })
  return { app, closeSockets: () => sockets.closeAll() }

  function callerOf(request: Request, server: Server<unknown> | null): string {
    return addressOf(request.headers, server?.requestIP(request)?.address)
  }
}
