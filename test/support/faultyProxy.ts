import type { Server } from 'bun'
import type { Json } from '../../src/base/errors.ts'
import { deferred } from '../../src/base/queue.ts'

export type ProxyMode =
  | 'pass'
  /** refuses connections and closes those it has */
  | 'down'
  /** holds every answer until `release()` or another mode */
  | 'slow'
  /** HTTP 429 */
  | 'rate-limited'
  /** HTTP 503 */
  | 'unavailable'
  /** HTTP 200 with a JSON-RPC error, one object whatever was asked: the limit is exceeded */
  | 'over-limit'
  /** HTTP 200 with something that is not JSON */
  | 'garbage'
  /** HTTP 200 with the first half of the answer */
  | 'truncated'
  /** answers every call with an error that repeats how it was asked: URL and headers */
  | 'echo'
  /** answers with the ids of other requests */
  | 'wrong-id'
  /** numbers for text, text for lists, and so on */
  | 'wrong-types'
  /** "header not found" for every call that names a block hash */
  | 'unknown-block'
  /** "header not found" for every other call that names a block hash: two nodes, of which one is behind */
  | 'half-behind'
  /** the newest block is for ever the one of when this began */
  | 'stuck'
  /** leaves the last entry of every batch out of the answer */
  | 'drop-one'
  /** answers a batch with a single error object */
  | 'single-only'
  /** HTTP as usual, but WebSockets bring no message from the node any more */
  | 'silent-sockets'
  /** HTTP as usual, but WebSockets are refused */
  | 'no-sockets'

export type FaultyProxy = {
  readonly url: string
  readonly webSocketUrl: string
  mode: ProxyMode
  /** The node behind it. */
  target: string
  /** Blocks that eth_getLogs may span; `undefined` is any. */
  logRange: number | undefined
  /** Number of the first block that it has logs of. */
  logsFrom: number
  /** Seconds in the `retry-after` header of 429 and 503 answers; `undefined` is without the header. */
  retryAfter: number | undefined
  /** These methods get the given error until the next call of `refuse`; an empty list ends it. */
  refuse(methods: readonly string[], error?: { code: number; message: string; data?: Json }): void
  /** Calls by JSON-RPC method, over HTTP, since the start or `calls.clear()`. Refused and faulty ones count too. */
  readonly calls: Map<string, number>
  /** HTTP requests since the start. */
  readonly requests: number
  /** WebSockets that clients opened since the start. */
  readonly sockets: number
  /** Resolves when the next HTTP request has come in. */
  nextRequest(): Promise<void>
  /** Resolves when the next WebSocket is opened. */
  nextSocket(): Promise<void>
  /** The next message that a client gets over a WebSocket. */
  nextSocketMessage(): Promise<string>
  /** Lets go of what `slow` holds. */
  release(): void
  stop(): Promise<void>
}

type Call = { jsonrpc: '2.0'; id: number; method: string; params?: readonly Json[] }
type Answer = { jsonrpc: '2.0'; id: number; result?: Json; error?: { code: number; message: string } }
type Upstream = { upstream: WebSocket | undefined }

/** A JSON-RPC proxy (HTTP and WebSocket) in front of a node, with faults that a test switches on and off. */
export function startFaultyProxy(targetUrl: string): FaultyProxy {
  let target = targetUrl
  let logRange: number | undefined
  let logsFrom = 0
  /** Number of the newest block when the mode became `stuck`. */
  let stuckAt: string | undefined
  let pinned = 0
  let mode: ProxyMode = 'pass'
  let refused: readonly string[] = []
  let refusal: { code: number; message: string; data?: Json } = { code: -32603, message: 'Internal error' }
  let gate = deferred<void>()
  let arrival = deferred<void>()
  let requests = 0
  let sockets = 0
  let opening = deferred<void>()
  let message = deferred<string>()
  const calls = new Map<string, number>()
  let server: Server<Upstream> | undefined = serve(0)
  const port = server.port ?? 0

  function serve(onPort: number): Server<Upstream> {
    return Bun.serve<Upstream>({
      port: onPort,
      hostname: '127.0.0.1',
      // Held answers must outlive any deadline of the client.
      idleTimeout: 0,
      fetch(request, self) {
        if (mode === 'no-sockets' && request.headers.has('upgrade'))
          return new Response('no', { status: 404 })
        return self.upgrade(request, { data: { upstream: undefined } }) ? undefined : answer(request)
      },
      websocket: {
        open(socket) {
          sockets += 1
          opening.resolve()
          opening = deferred()
          const upstream = new WebSocket(target.replace(/^http/, 'ws'))
          socket.data.upstream = upstream
          upstream.onmessage = ({ data }) => {
            if (mode === 'silent-sockets') return
            socket.send(String(data))
            message.resolve(String(data))
            message = deferred()
          }
          upstream.onclose = () => socket.close()
        },
        async message(socket, text) {
          const upstream = socket.data.upstream
          if (upstream === undefined) return
          if (upstream.readyState === WebSocket.CONNECTING) {
            await new Promise((resolve) => upstream.addEventListener('open', resolve, { once: true }))
          }
          upstream.send(text)
        },
        close(socket) {
          socket.data.upstream?.close()
        },
      },
    })
  }

  async function answer(request: Request): Promise<Response> {
    requests += 1
    const body = (await request.json()) as Call | Call[]
    const batch = Array.isArray(body) ? body : [body]
    for (const { method } of batch) calls.set(method, (calls.get(method) ?? 0) + 1)
    arrival.resolve()
    arrival = deferred()
    switch (mode) {
      case 'rate-limited':
        return refuseHttp(429)
      case 'unavailable':
        return refuseHttp(503)
      case 'over-limit':
        return Response.json(failure(0, { code: -32005, message: 'limit exceeded' }))
      case 'garbage':
        return new Response('<html>Bad gateway</html>')
      case 'single-only':
        if (Array.isArray(body))
          return Response.json(failure(0, { code: -32600, message: 'no batches here' }))
        break
      case 'slow':
        await gate.promise
        break
    }
    const asked = `${request.url} ${JSON.stringify([...request.headers])}`
    const echo = ({ id }: Call) => failure(id, { code: -32000, message: `no: ${asked}`, data: asked })
    const answers =
      mode === 'echo' ? batch.map(echo) : (await Promise.all(batch.map(answerCall))).map(spoiled)
    const kept = mode === 'drop-one' ? answers.slice(0, -1) : answers
    const text = JSON.stringify(Array.isArray(body) ? kept : answers[0])
    return new Response(mode === 'truncated' ? text.slice(0, text.length / 2) : text)
  }

  function spoiled(answer: Answer): Answer {
    if (mode === 'wrong-id') return { ...answer, id: answer.id + 1000 }
    if (mode === 'wrong-types' && answer.result !== undefined)
      return { ...answer, result: ofOtherType(answer.result) }
    return answer
  }

  async function answerCall(call: Call): Promise<Answer> {
    if (refused.includes(call.method)) return failure(call.id, refusal)
    if (JSON.stringify(call.params ?? []).includes('"blockHash"')) {
      pinned += 1
      if (mode === 'unknown-block' || (mode === 'half-behind' && pinned % 2 === 1))
        return failure(call.id, { code: -32000, message: 'header not found' })
    }
    if (call.method === 'eth_getLogs' && (await isPruned(call)))
      return failure(call.id, { code: 4444, message: 'pruned history unavailable' })
    if (call.method === 'eth_getLogs' && isTooWide(call))
      return failure(call.id, { code: -32602, message: `range exceeds limit of ${logRange}` })
    if (mode === 'stuck' && call.method === 'eth_blockNumber')
      return { jsonrpc: '2.0', id: call.id, result: await newestWhenStuck() }
    if (mode === 'stuck' && call.params?.[0] === 'latest')
      return ask({ ...call, params: [await newestWhenStuck(), ...call.params.slice(1)] })
    return ask(call)
  }

  async function newestWhenStuck(): Promise<string> {
    stuckAt ??= String((await ask({ jsonrpc: '2.0', id: 0, method: 'eth_blockNumber' })).result)
    return stuckAt
  }

  async function isPruned({ params }: Call): Promise<boolean> {
    const { blockHash } = (params?.[0] ?? {}) as { blockHash?: string }
    if (logsFrom === 0 || blockHash === undefined) return false
    const { result } = await ask({
      jsonrpc: '2.0',
      id: 0,
      method: 'eth_getBlockByHash',
      params: [blockHash, false],
    })
    return Number((result as { number: string }).number) < logsFrom
  }

  function isTooWide({ params }: Call): boolean {
    const { fromBlock, toBlock } = (params?.[0] ?? {}) as { fromBlock?: string; toBlock?: string }
    return logRange !== undefined && Number(toBlock) - Number(fromBlock) >= logRange
  }

  async function ask(call: Call): Promise<Answer> {
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    })
    return (await response.json()) as Answer
  }

  function refuseHttp(status: number): Response {
    const headers = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) }
    return new Response('try later', { status, ...(headers && { headers }) })
  }

  function release(): void {
    gate.resolve()
    gate = deferred()
  }

  let retryAfter: number | undefined
  return {
    url: `http://127.0.0.1:${port}`,
    webSocketUrl: `ws://127.0.0.1:${port}`,
    get mode() {
      return mode
    },
    set mode(next) {
      if (mode === 'slow') release()
      if (mode !== next) stuckAt = undefined
      mode = next
      if (next === 'down') {
        void server?.stop(true).catch(() => {})
        server = undefined
      } else server ??= serve(port)
    },
    get target() {
      return target
    },
    set target(url) {
      target = url
    },
    get logRange() {
      return logRange
    },
    set logRange(blocks) {
      logRange = blocks
    },
    get logsFrom() {
      return logsFrom
    },
    set logsFrom(block) {
      logsFrom = block
    },
    get retryAfter() {
      return retryAfter
    },
    set retryAfter(seconds) {
      retryAfter = seconds
    },
    refuse(methods, error = { code: -32603, message: 'Internal error' }) {
      refused = methods
      refusal = error
    },
    calls,
    get requests() {
      return requests
    },
    get sockets() {
      return sockets
    },
    nextRequest: () => arrival.promise,
    nextSocket: () => opening.promise,
    nextSocketMessage: () => message.promise,
    release,
    async stop() {
      release()
      await server?.stop(true)
    },
  }
}

function failure(id: number, error: { code: number; message: string; data?: Json }): Answer {
  return { jsonrpc: '2.0', id, error }
}

function ofOtherType(value: Json): Json {
  if (value === null) return null
  if (Array.isArray(value)) return 'none'
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([field, of]) => [field, ofOtherType(of ?? null)]))
  return typeof value === 'string' ? 7 : 'seven'
}
