import { describe, Unavailable } from '../base/errors.ts'
import { redactUrl } from '../base/log.ts'
import { meansUnavailable, NodeError, type RpcErrorObject } from './node-error.ts'

/** Calls in one HTTP request: what common providers accept. */
const batchSize = 100

/** Why an endpoint could not answer; `retryAfter` in ms where it said so. */
export class EndpointFailure extends Unavailable {
  override readonly name: string = 'EndpointFailure'
  constructor(
    what: string,
    readonly retryAfter?: number,
    options?: { cause?: unknown },
  ) {
    super(what, options)
  }
}

type Call = {
  method: string
  params: readonly unknown[]
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}
type Answer = { id?: number | null; result?: unknown; error?: RpcErrorObject }

/** One node URL. Calls of the same tick share one HTTP request. */
export type Endpoint = {
  readonly name: string
  /** @throws NodeError, EndpointFailure */
  call(method: string, params: readonly unknown[]): Promise<unknown>
}

export function createEndpoint(url: string, options: { timeoutMs: number }): Endpoint {
  const { target, headers } = splitCredentials(url)
  const name = redactUrl(url)
  let waiting: Call[] = []
  /** Some nodes refuse batches: they get one call a request. */
  let takesBatches = true

  return {
    name,
    call(method, params) {
      return new Promise((resolve, reject) => {
        if (waiting.length === 0) queueMicrotask(flush)
        waiting.push({ method, params, resolve, reject })
      })
    },
  }

  function flush(): void {
    const calls = waiting
    waiting = []
    const size = takesBatches ? batchSize : 1
    for (let start = 0; start < calls.length; start += size) void sendCalls(calls.slice(start, start + size))
  }

  async function sendCalls(calls: Call[]): Promise<void> {
    try {
      const answers = await post(calls)
      calls.forEach((call, index) => {
        settle(call, answers.get(index))
      })
    } catch (error) {
      if (error instanceof BatchRefused && calls.length > 1) {
        takesBatches = false
        for (const call of calls) void sendCalls([call])
        return
      }
      for (const call of calls)
        call.reject(error instanceof Error ? error : new EndpointFailure(String(error)))
    }
  }

  async function post(calls: readonly Call[]): Promise<Map<number, Answer>> {
    const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const body = JSON.stringify(requests.length === 1 ? requests[0] : requests)
    const response = await fetchText(body)
    const parsed = parse(response)
    if (Array.isArray(parsed)) return new Map(parsed.map((answer: Answer) => [Number(answer.id), answer]))
    if (calls.length > 1) throw new BatchRefused(`${name} refuses batches`)
    return new Map([[0, parsed as Answer]])
  }

  async function fetchText(body: string): Promise<string> {
    let response: Response
    try {
      const signal = AbortSignal.timeout(options.timeoutMs)
      response = await fetch(target, { method: 'POST', headers, body, signal })
      if (response.ok) return await response.text()
    } catch (error) {
      throw new EndpointFailure(`${name} did not answer`, undefined, { cause: describe(error) })
    }
    const text = await response.text().catch(() => '')
    if (response.status === 429 || response.status >= 500) {
      throw new EndpointFailure(`${name} answered HTTP ${response.status}`, retryAfterOf(response))
    }
    // Some nodes put JSON-RPC errors behind HTTP 4xx.
    if (text.startsWith('{') || text.startsWith('[')) return text
    throw new EndpointFailure(`${name} answered HTTP ${response.status}`)
  }

  function parse(text: string): unknown {
    try {
      const parsed: unknown = JSON.parse(text)
      if (typeof parsed === 'object' && parsed !== null) return parsed
    } catch {
      // Falls through: garbage is garbage.
    }
    throw new EndpointFailure(`${name} answered something that is not JSON-RPC`)
  }

  function settle(call: Call, answer: Answer | undefined): void {
    if (answer === undefined || (answer.error === undefined && answer.result === undefined)) {
      call.reject(new EndpointFailure(`${name} left ${call.method} unanswered`))
    } else if (answer.error === undefined) {
      call.resolve(answer.result)
    } else {
      const { code, message, data } = answer.error
      const error = { code: Number(code), message: String(message) }
      if (meansUnavailable(error)) call.reject(new EndpointFailure(`${name} cannot tell: ${error.message}`))
      else call.reject(new NodeError(error.code, error.message, data))
    }
  }
}

class BatchRefused extends EndpointFailure {
  override readonly name = 'BatchRefused'
}

/** ms from a Retry-After header in seconds. */
function retryAfterOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined
}

/** User info in a URL becomes a header, since fetch refuses it; a WebSocket URL's HTTP twin is asked. */
function splitCredentials(url: string): { target: string; headers: Record<string, string> } {
  const parsed = new URL(url.replace(/^ws(s?):/, 'http$1:'))
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (parsed.username !== '' || parsed.password !== '') {
    const user = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`
    headers.authorization = `Basic ${btoa(user)}`
    parsed.username = ''
    parsed.password = ''
  }
  return { target: parsed.href, headers }
}
