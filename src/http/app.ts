import type { Server } from 'bun'
import { type AnyElysia, Elysia } from 'elysia'
import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import { createRateLimiter } from '../base/rate.ts'
import { createAnswerer } from '../rpc/answerer.ts'
import { createDispatcher } from '../rpc/dispatch.ts'
import type { PaymasterService } from '../rpc/paymaster/service.ts'
import { createRegistry } from '../rpc/registry.ts'
import { createRespond } from './answers.ts'
import { createChainRouter, hostMatcher, type ServedChain } from './chains.ts'
import { createClientAddress, type ForwardingHeader } from './client-address.ts'
import { createCors, preflight } from './cors.ts'
import { mainDocument } from './openapi/served.ts'
import { createPaymasterSurface } from './paymaster/paymaster.ts'
import { pathBelowBase } from './paymaster/place.ts'
import { createPostHandler } from './post.ts'
import { type ConnectionLimits, createConnections } from './websocket.ts'
import { websocketRoute } from './websocket-route.ts'

export type AppOptions = {
  /** Of the chains that are configured, whether they have started or not; `undefined` where the nodes tell. */
  chainIds: readonly (number | undefined)[]
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
  /** The bundler answers nobody without an API key; with a paymaster service only, which has the keys. */
  requireApiKey: boolean
  /** Host headers for which the root is the paymaster's address. */
  paymasterHosts: readonly string[]
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
  /** `undefined`: the bundler alone is served, and API keys mean nothing. */
  paymaster: PaymasterService | undefined
}

/** s without a byte after which a connection is closed: longer than the longest call, eth_sendUserOperationSync */
const idleTimeout = 90
/** bytes that a WebSocket client may leave unread before it is disconnected: some thousand pushes */
const maxUnread = 4 * 1024 * 1024
/** The server's own bound only keeps a connection from sending for ever: ours comes first and has an answer. */
const serverBodyBound = 1024 * 1024 * 1024
const serve = {
  reusePort: false,
  maxRequestBodySize: serverBodyBound,
  idleTimeout,
  development: false,
} as const

export type App = {
  /** For the public listener. */
  app: AnyElysia
  /** For a listener of the paymaster's own, if it has one: its paths start at the root there. */
  paymasterApp: AnyElysia | undefined
  closeSockets(): void
}

/**
 * The public server: JSON-RPC by POST and WebSocket at `/v1/<chain id>` and `/`, the paymaster below `/paymaster`,
 * `/health`, `/ready`, `/openapi/json`.
 * A path that leads to no chain is HTTP 404 with a JSON-RPC error that names the chains, one to a chain that is being
 * started 503; a body over the limit is HTTP 413 with one; every other JSON-RPC answer is HTTP 200, with an empty body for notifications.
 */
export function createApp(options: AppOptions, modules: AppModules): App {
  const { log, metrics, readiness } = modules
  const { limits, testing, clientVersion, requireApiKey } = options
  const context = { log, metrics }
  const router = createChainRouter({ configured: options.chainIds }, modules.chains)
  const cors = createCors(options.corsOrigins)
  const respond = createRespond(cors)
  const { clientRate: perSecond, clientBurst: burst } = limits
  const limiter = perSecond === 0 ? undefined : createRateLimiter({ perSecond, burst })
  const addressOf = createClientAddress({
    trustedProxies: options.trustedProxies,
    header: options.forwardingHeader,
  })
  const answer = createAnswerer(limits, { ...context, limiter })
  const { paymaster: service } = modules
  const paymaster =
    service &&
    createPaymasterSurface(
      { maxBodySize: limits.maxBodySize, version: clientVersion },
      { ...context, service, answer, limiter, respond, cors },
    )
  const registry = createRegistry({ testing }, { further: paymaster?.methods })
  const dispatch = createDispatcher(
    { clientVersion, requireApiKey },
    { registry, answer, metering: paymaster?.metering },
  )
  const post = createPostHandler(limits, { dispatch, respond })
  const sockets = createConnections(limits, { dispatch, metrics })
  const closeSockets = () => sockets.closeAll()
  const document = mainDocument(
    { version: clientVersion, requireApiKey, paymaster: paymaster !== undefined },
    registry.all,
  )

  const app = new Elysia({
    serve,
    websocket: {
      maxPayloadLength: limits.maxBodySize,
      backpressureLimit: maxUnread,
      closeOnBackpressureLimit: true,
      idleTimeout,
    },
  })
  if (paymaster !== undefined && options.paymasterHosts.length > 0) {
    const isOwnHost = hostMatcher(options.paymasterHosts)
    app.onRequest(({ request, server }) => {
      if (!isOwnHost(request.headers.get('host'))) return
      return paymaster.atOwnAddress(request, callerOf(request, server))
    })
  }
  app
    .onError({ as: 'global' }, ({ request, code, error }) =>
      code === 'NOT_FOUND' ? notFound(request) : failed(request, error),
    )
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
    .options('/*', ({ request }) => preflight(request, cors))
    .get('/openapi/json', ({ request }) => respond(request, document))
    .get('/health', ({ request }) => respond(request, { alive: true }))
    .get('/ready', async ({ request }) => {
      const { ready } = await readiness()
      return respond(request, { ready }, ready ? 200 : 503)
    })
  if (paymaster === undefined) return { app, paymasterApp: undefined, closeSockets }

  app.all(
    '/*',
    ({ request, server }) => {
      const path = pathBelowBase(new URL(request.url).pathname)
      return path === undefined
        ? notFound(request)
        : paymaster.handle(request, path, callerOf(request, server))
    },
    { parse: 'none' },
  )
  const paymasterApp = new Elysia({ serve })
    .onError({ as: 'global' }, ({ request, error }) => failed(request, error))
    .all('/*', ({ request, server }) => paymaster.atOwnAddress(request, callerOf(request, server)), {
      parse: 'none',
    })
  return { app, paymasterApp, closeSockets }

  function notFound(request: Request): Response {
    return respond(request, { error: 'not found: JSON-RPC is POST /v1/<chain id>/' }, 404)
  }

  function failed(request: Request, error: unknown): Response {
    log.error('request failed', { error: describe(error) })
    return respond(request, { error: 'internal error' }, 500)
  }

  function callerOf(request: Request, server: Server<unknown> | null): string {
    return addressOf(request.headers, server?.requestIP(request)?.address)
  }
}
