import type { Context } from '../base/context.ts'
import { InvalidParams, type Json, LimitExceeded, TandemError } from '../base/errors.ts'
import { nearest } from '../base/nearest.ts'
import type { RateLimiter } from '../base/rate.ts'
import type { RpcChain } from './chain.ts'
import type { Call, Method } from './method.ts'
import { type PublicError, publicError } from './public-error.ts'
import type { Registry } from './registry.ts'
import type { Subscriber } from './subscriptions.ts'

/** A JSON-RPC answer; `jsonrpc` is there if it was sent. */
export type Answer = { jsonrpc?: '2.0'; id: Id } & ({ result: Json } | { error: PublicError })
type Id = number | string | null

/** Who calls. */
export type Caller = {
  /** Under which its calls are counted. */
  address: string
  /** On a WebSocket only. */
  subscriber?: Subscriber
}

/** Answers parsed JSON; `undefined` when nothing is to be answered (notifications). Never rejects. */
export type Dispatcher = (
  chain: RpcChain,
  body: unknown,
  caller: Caller,
) => Promise<Answer | Answer[] | undefined>

export type DispatchOptions = {
  /** most calls in a batch */
  maxBatch: number
  clientVersion: string
}

/** Longer names are not looked up for suggestions: the longest that we know has 40. */
const longestName = 64
/** Codes that count as themselves in the metrics; a node may answer any number. */
const countedCodes: ReadonlySet<number> = new Set([
  -32600, -32601, -32602, -32603, -32005, -32500, -32501, -32502, -32503, -32504, -32505, -32506, -32507,
  -32508, -32521,
])

/** JSON-RPC 2.0 as answers.md §1 settles it. */
export function createDispatcher(
  options: DispatchOptions,
  {
    registry,
    limiter,
    log,
    metrics,
  }: Context & {
    registry: Registry /** Of each address's calls; `undefined`: no limit. */
    limiter: RateLimiter | undefined
  },
): Dispatcher {
  const requests = metrics.counter('rpc_requests_total', 'JSON-RPC calls by outcome.', [
    'chain',
    'method',
    'code',
  ])
  const seconds = metrics.histogram('rpc_request_seconds', 'Time to answer a JSON-RPC call.', [
    'chain',
    'method',
  ])

  return async (chain, body, caller) => {
    if (!Array.isArray(body)) return answerOne(chain, body, caller)
    if (body.length === 0) return refused('an empty batch is not a request')
    if (body.length > options.maxBatch) {
      const message = `a batch of ${body.length} calls is over the limit of ${options.maxBatch}`
      return refused(message, { maximum: options.maxBatch })
    }
    const answers = await Promise.all(body.map((entry) => answerOne(chain, entry, caller)))
    const due = answers.filter((answer) => answer !== undefined)
    return due.length === 0 ? undefined : due
  }

  async function answerOne(
    chain: RpcChain,
    entry: unknown,
    { address, subscriber }: Caller,
  ): Promise<Answer | undefined> {
    const start = performance.now()
    const envelope = isRecord(entry) ? entry : {}
    const method = registry.find(envelope.method, chain)
    const call: Call = { chain, clientVersion: options.clientVersion, subscriber, about: undefined }
    let outcome: { result: Json } | { error: PublicError }
    try {
      admit(address)
      const params = readParams(entry)
      outcome = { result: await (method ?? unknownMethod(envelope.method, chain)).run(params, call) }
    } catch (error) {
      const about = async () => ({
        ...{ chain: chain.bundler.chainId, method: method?.name },
        ...(await call.about?.()),
      })
      outcome = { error: publicError(error, { log, about }) }
    }
    count(chain, method, outcome, start)
    return addressed(envelope, outcome)
  }

  /** @throws LimitExceeded */
  function admit(address: string): void {
    const retryAfterMs = limiter?.take(address) ?? 0
    if (retryAfterMs > 0) throw new LimitExceeded('limit exceeded', { retryAfterMs })
  }

  function unknownMethod(name: unknown, chain: RpcChain): never {
    const known = String(name)
    const short = known.length <= longestName
    const suggestion = short ? nearest(known, registry.names(chain)) : undefined
    const message = `the method ${short ? known : `${known.slice(0, longestName)}…`} is not available`
    throw new TandemError(
      -32601,
      message,
      suggestion === undefined ? undefined : { hint: `did you mean ${suggestion}?` },
    )
  }

  function count(
    { bundler }: RpcChain,
    method: Method | undefined,
    outcome: { result: Json } | { error: PublicError },
    start: number,
  ): void {
    const labels = { chain: bundler.chainId, method: method?.name ?? 'unknown' }
    requests.inc({ ...labels, code: outcomeLabel(outcome) })
    seconds.observe(labels, (performance.now() - start) / 1000)
  }
}

/** One answer for text that is no JSON. */
export function unparsable(): Answer {
  return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'the request is not valid JSON' } }
}

/** Refuses a request as a whole; there is no id to echo. */
export function refused(message: string, data?: Json): Answer {
  return {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32600, message, ...(data === undefined ? {} : { data }) },
  }
}

/** @throws TandemError -32600, InvalidParams */
function readParams(entry: unknown): readonly unknown[] {
  const invalid = (message: string) => new TandemError(-32600, message)
  if (!isRecord(entry)) throw invalid('a request must be an object')
  const { jsonrpc, id, method, params } = entry
  if (jsonrpc !== undefined && jsonrpc !== null && jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0"')
  if (id !== undefined && !isId(id)) throw invalid('id must be a number, a string or null')
  if (typeof method !== 'string') throw invalid('method must be a string')
  if (params === undefined || params === null) return []
  if (!Array.isArray(params)) throw new InvalidParams('params must be an array', { path: 'params' })
  return params
}

/** Puts the outcome under the request's id; nothing for a notification, which is a valid request without id. */
function addressed(
  { jsonrpc, id, method }: { readonly [field: string]: unknown },
  outcome: { result: Json } | { error: PublicError },
): Answer | undefined {
  if (id === undefined && typeof method === 'string') return undefined
  const answer = { id: isId(id) ? id : null, ...outcome }
  return jsonrpc === '2.0' ? { jsonrpc, ...answer } : answer
}

function outcomeLabel(outcome: { result: Json } | { error: PublicError }): string {
  if (!('error' in outcome)) return 'ok'
  return countedCodes.has(outcome.error.code) ? String(outcome.error.code) : 'other'
}

function isRecord(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isId(value: unknown): value is Id {
  return value === null || typeof value === 'string' || typeof value === 'number'
}
