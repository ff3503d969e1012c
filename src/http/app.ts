import { Elysia } from 'elysia'
import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import type { RpcChain } from '../rpc/chain.ts'
import { type Answer, createDispatcher, unparsable } from '../rpc/dispatch.ts'
import type { PublicError } from '../rpc/public-error.ts'
import { createRegistry } from '../rpc/registry.ts'
import type { Readiness } from '../types/ports/bundler.ts'
import { readBody } from './body.ts'
import { createChainRouter, isServed, type ServedChain } from './chains.ts'
import { createCors, preflightHeaders } from './cors.ts'
import { metricsRoute } from './metrics.ts'
import { type Connection, type ConnectionLimits, createConnections } from './websocket.ts'

export type AppOptions = {
  /** The debug_bundler_* methods exist. */
  testing: boolean
  /** `tandem/<version>` */
  clientVersion: string
  /** Browser origins that may call; `*` is any. */
  corsOrigins: readonly string[]
  /** There is no listener for the operator, so `/metrics` is here. */
  publicMetrics: boolean
  limits: ConnectionLimits & {
    /** bytes */
    maxBodySize: number
    /** calls */
    maxBatch: number
  }
}

export type AppModules = Context & {
  /** Chains appear as they start. */
  chains: ReadonlyMap<number, ServedChain>
  readiness: () => Promise<Readiness>
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
  const { limits } = options
  const router = createChainRouter(modules.chains)
  const cors = createCors(options.corsOrigins)
  const dispatch = createDispatcher(
    { maxBatch: limits.maxBatch, clientVersion: options.clientVersion },
    { log, metrics, registry: createRegistry({ testing: options.testing }) },
  )
  const sockets = createConnections(limits, { dispatch, metrics })
  const connections = new Map<string, Connection>()

  async function post(request: Request, found: RpcChain | PublicError): Promise<Response> {
    const origin = request.headers.get('origin')
    if (!isServed(found)) return json(refusal(found), origin, 404)
    const text = await readBody(request, limits.maxBodySize)
    if (text === undefined) {
      const message = `the body is over the limit of ${limits.maxBodySize} bytes`
      return json(refusal({ code: -32600, message, data: { maximum: limits.maxBodySize } }), origin, 413)
    }
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return json(unparsable(), origin)
    }
    return json(await dispatch(found, body), origin)
  }

  function json(body: Answer | Answer[] | object | undefined, origin: string | null, status = 200): Response {
    const headers = { 'content-type': 'application/json', ...cors(origin) }
    return new Response(body === undefined ? null : JSON.stringify(body), { status, headers })
  }

  const upgrade = (find: (request: Request, params: { chainId?: string }) => RpcChain | PublicError) => ({
    beforeHandle({ request, params }: { request: Request; params: { chainId?: string } }) {
      const found = find(request, params)
      if (!isServed(found)) return json(refusal(found), null, 404)
      if (sockets.full) {
        const error = {
          code: -32005,
          message: 'limit exceeded',
          data: { maximum: limits.maxWebSockets, retryAfterMs: 10_000 },
        }
        return json(refusal(error), null, 503)
      }
    },
    open(ws: Ws) {
      const found = find(ws.data.request, ws.data.params)
      if (!isServed(found)) return ws.close()
      const socket = {
        send: (text: string) => void ws.raw.send(text),
        close: (code: number, reason: string) => ws.close(code, reason),
      }
      connections.set(ws.id, sockets.open(found, socket))
    },
    async message(ws: Ws, message: unknown) {
      await connections.get(ws.id)?.receive(message)
    },
    close(ws: Ws) {
      connections.get(ws.id)?.close()
      connections.delete(ws.id)
    },
  })

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
      const origin = request.headers.get('origin')
      if (code === 'NOT_FOUND')
        return json({ error: 'not found: JSON-RPC is POST /v1/<chain id>/' }, origin, 404)
      log.warn('request failed', { error: describe(error) })
      return json({ error: 'internal error' }, origin, 500)
    })
    .post('/v1/:chainId', ({ request, params: { chainId } }) => post(request, router.byId(chainId)), {
      parse: 'none',
    })
    .post('/', ({ request }) => post(request, router.byHost(request.headers.get('host'))), { parse: 'none' })
    .ws(
      '/v1/:chainId',
      upgrade((_request, { chainId = '' }) => router.byId(chainId)),
    )
    .ws(
      '/',
      upgrade((request) => router.byHost(request.headers.get('host'))),
    )
    .options('/*', ({ request }) => {
      const headers = { ...cors(request.headers.get('origin')), ...preflightHeaders }
      return new Response(null, { status: 204, headers })
    })
    .get('/health', ({ request }) => json({ alive: true }, request.headers.get('origin')))
    .get('/ready', async ({ request }) => {
      const { ready } = await readiness()
      return json({ ready }, request.headers.get('origin'), ready ? 200 : 503)
    })
  if (options.publicMetrics) app.use(metricsRoute(metrics))
  return { app, closeSockets: () => sockets.closeAll() }
}

type Ws = {
  id: string
  data: { request: Request; params: { chainId?: string } }
  raw: { send(text: string): number }
  close(code?: number, reason?: string): void
}

function refusal(error: PublicError): Answer {
  return { jsonrpc: '2.0', id: null, error }
}
