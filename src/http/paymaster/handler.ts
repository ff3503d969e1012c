import type { Context } from '../../base/context.ts'
import { type Json, LimitExceeded } from '../../base/errors.ts'
import type { RateLimiter } from '../../base/rate.ts'
import { type Envelope, isRecord, unparsable } from '../../rpc/envelope.ts'
import { type Bill, createBill } from '../../rpc/metering/bill.ts'
import type { Metering } from '../../rpc/metering/metering.ts'
import { pm_sponsorUserOperation } from '../../rpc/methods/pm_sponsorUserOperation.ts'
import { readCredentials, readFlag, type Sources } from '../../rpc/paymaster/credentials.ts'
import type { PaymasterDispatcher } from '../../rpc/paymaster/dispatch.ts'
import type { PaymasterPerform } from '../../rpc/paymaster/perform.ts'
import type { PaymasterService } from '../../rpc/paymaster/service.ts'
import { publicError } from '../../rpc/public-error.ts'
import type { Respond } from '../answers.ts'
import { readBody } from '../body.ts'
import type { Endpoint, PathFields } from './endpoint.ts'
import { refusalOf } from './refusal.ts'
import { findEndpoint } from './router.ts'

/** Answers a request at `path` below the paymaster's address. */
export type PaymasterHandler = (
  request: Request,
  path: string,
  /** Under which the client's calls are counted. */
  address: string,
) => Promise<Response>

type Parsed = { body: unknown } | { refused: Response }

export function createPaymasterHandler(
  options: { /** bytes */ maxBodySize: number },
  modules: Context & {
    service: PaymasterService
    metering: Metering
    perform: PaymasterPerform
    dispatch: PaymasterDispatcher
    /** Of each address's calls; `undefined`: no limit. */
    limiter: RateLimiter | undefined
    respond: Respond
  },
): PaymasterHandler {
  const { service, metering, perform, dispatch, limiter, respond, log, metrics } = modules
  const requests = metrics.counter('paymaster_requests_total', 'REST calls of the paymaster by outcome.', [
    'call',
    'status',
  ])
  const seconds = metrics.histogram('paymaster_request_seconds', 'Time to answer a REST call.', ['call'])

  return async (request, path, address) => {
    if (/^\/*$/.test(path)) return atRoot(request, address)
    const found = findEndpoint(request.method, path)
    if ('allowed' in found) return unknown(request, found.allowed)
    const start = performance.now()
    const call = `${request.method} ${found.candidates[0]?.path ?? ''}`
    const response = await restCall(request, { ...found, call, address })
    requests.inc({ call, status: response.status })
    seconds.observe({ call }, (performance.now() - start) / 1000)
    return response
  }

  /** JSON-RPC. A single call without a method is the sponsor call of old SDKs. */
  async function atRoot(request: Request, address: string): Promise<Response> {
    if (request.method !== 'POST') return unknown(request, ['POST'])
    const parsed = await parse(request, () => respond(request, unparsable()))
    if ('refused' in parsed) return parsed.refused
    const { body } = parsed
    if (isRecord(body) && body.method === undefined && (body.jsonrpc !== undefined || 'params' in body))
      return sponsorCall(request, body, address)
    const bill = createBill()
    const { searchParams: query } = new URL(request.url)
    const answer = await dispatch(body, { address, query, headers: request.headers, bill })
    return respond(request, answer, 200, bill.headers())
  }

  async function sponsorCall(request: Request, body: Envelope, address: string): Promise<Response> {
    const bill = createBill()
    try {
      admit(address)
      const { params, ...sources } = sourcesOf(request, body)
      const result = await perform(pm_sponsorUserOperation, params, { sources, chainId: undefined, bill })
      const answer = body.jsonrpc === undefined ? result : { jsonrpc: body.jsonrpc, id: idOf(body), result }
      return respond(request, answer as object, 200, bill.headers())
    } catch (error) {
      const refusal = refusalOf(error, { log, call: 'sponsor' })
      const headers = { ...bill.headers(), ...refusal.headers }
      return respond(request, { error: refusal.body.error }, refusal.status, headers)
    }
  }

  /** A body with `jsonrpc` and `method` gets a JSON-RPC answer; the path says which call it is. */
  async function restCall(
    request: Request,
    found: { candidates: readonly Endpoint[]; path: PathFields; call: string; address: string },
  ): Promise<Response> {
    const parsed = request.method === 'GET' ? { body: {} } : await parse(request, () => noJson(request))
    if ('refused' in parsed) return parsed.refused
    const body = isRecord(parsed.body) ? parsed.body : {}
    const enveloped = body.jsonrpc !== undefined && typeof body.method === 'string'
    const bill = createBill()
    try {
      admit(found.address)
      const result = await run(found, sourcesOf(request, body), bill)
      const answer = enveloped ? { jsonrpc: body.jsonrpc, id: idOf(body), result } : (result as object)
      return respond(request, answer, 200, bill.headers())
    } catch (error) {
      if (enveloped) {
        const told = publicError(error, { log, about: async () => ({ call: found.call }) })
        return respond(request, { jsonrpc: body.jsonrpc, id: idOf(body), error: told }, 200, bill.headers())
      }
      const refusal = refusalOf(error, { log, call: found.call })
      return respond(request, refusal.body, refusal.status, { ...bill.headers(), ...refusal.headers })
    }
  }

  async function run(
    { candidates, path }: { candidates: readonly Endpoint[]; path: PathFields },
    sources: Sources,
    bill: Bill,
  ): Promise<Json> {
    const { useVp } = readCredentials(sources)
    const endpoint = candidates.find((candidate) => candidate.useVp === useVp) ?? candidates[0]
    if (endpoint === undefined) throw new Error('a path without a call')
    const { apiKey, chainId } = readCredentials(sources, endpoint.positions)
    const wait = sources.query.get('wait') ?? sources.body.wait ?? false
    const { scope, price } = endpoint
    return metering({ apiKey, scope, price, bill }, (caller) =>
      endpoint.run(
        { params: sources.params, body: sources.body, path },
        { caller, service, chainId, useVp, wait: readFlag('wait', wait) },
      ),
    )
  }

  /** Whatever content type it names, the body counts; none is an empty one. */
  async function parse(request: Request, unparsed: () => Response): Promise<Parsed> {
    const text = await readBody(request, options.maxBodySize)
    if (text === undefined) {
      const error = `the body is over the limit of ${options.maxBodySize} bytes`
      return { refused: respond(request, { error, code: 'body_too_large' }, 413) }
    }
    try {
      const body: unknown = text.trim() === '' ? {} : JSON.parse(text)
      return { body }
    } catch {
      return { refused: unparsed() }
    }
  }

  function noJson(request: Request): Response {
    const body = { error: 'Invalid data provided', code: 'invalid_json', details: 'the body is no JSON' }
    return respond(request, body, 400)
  }

  function unknown(request: Request, allowed: readonly string[]): Response {
    if (allowed.length === 0) return respond(request, { error: 'Not found', code: 'not_found' }, 404)
    const body = { error: 'Method not allowed', code: 'method_not_allowed' }
    return respond(request, body, 405, { allow: allowed.join(', ') })
  }

  /** @throws LimitExceeded */
  function admit(address: string): void {
    const retryAfterMs = limiter?.take(address) ?? 0
    if (retryAfterMs > 0) throw new LimitExceeded('limit exceeded', { retryAfterMs })
  }
}

function sourcesOf(request: Request, body: Envelope): Sources {
  const { searchParams: query } = new URL(request.url)
  const params: readonly unknown[] = Array.isArray(body.params) ? body.params : []
  return { query, headers: request.headers, body, params }
}

/** As JSON-RPC echoes it. */
const idOf = ({ id }: Envelope): unknown => id ?? null
