import type { Context } from '../../base/context.ts'
import type { Json } from '../../base/errors.ts'
import type { Admit } from '../../base/rate.ts'
import { requireOwnWallet } from '../../paymaster/tenants/own-wallet.ts'
import { isRecord } from '../../rpc/envelope.ts'
import { type Bill, createBill } from '../../rpc/metering/bill.ts'
import type { Metering } from '../../rpc/metering/metering.ts'
import { readCredentials, readFlag, type Sources } from '../../rpc/paymaster/credentials.ts'
import { withNodeTrouble } from '../../rpc/paymaster/node-trouble.ts'
import type { PaymasterService } from '../../rpc/paymaster/service.ts'
import { publicError } from '../../rpc/public-error.ts'
import type { Respond } from '../answers.ts'
import { readWallet } from './fields.ts'
import { refusalOf } from './refusal.ts'
import { readJson, tooLarge } from './request-body.ts'
import type { Found } from './router.ts'
import { enveloped, sourcesOf } from './sources.ts'

/** Answers a request for a REST call. */
export type RestHandler = (request: Request, found: Found, address: string) => Promise<Response>

const noJson = { error: 'Invalid data provided', code: 'invalid_json', details: 'the body is no JSON' }
const noObject = { ...noJson, code: 'invalid_data', details: 'the body must be a JSON object' }

/** REST; a body with `jsonrpc` and `method` gets a JSON-RPC answer, and the path says which call it is. */
export function createRestHandler(
  options: { /** bytes */ maxBodySize: number },
  modules: Context & {
    service: PaymasterService
    metering: Metering
    admit: Admit
    respond: Respond
  },
): RestHandler {
  const { service, metering, admit, respond, log, metrics } = modules
  const { maxBodySize } = options
  const requests = metrics.counter('paymaster_requests_total', 'REST calls of the paymaster by outcome.', [
    'call',
    'status',
  ])
  const seconds = metrics.histogram('paymaster_request_seconds', 'Time to answer a REST call.', ['call'])

  return async (request, found, address) => {
    const start = performance.now()
    const [{ path }] = found.candidates
    const call = `${request.method} ${path}`
    const response = await answer(request, found, { call, address })
    requests.inc({ call, status: response.status })
    seconds.observe({ call }, (performance.now() - start) / 1000)
    return response
  }

  async function answer(
    request: Request,
    found: Found,
    { call, address }: { call: string; address: string },
  ): Promise<Response> {
    const read = request.method === 'GET' ? { body: {} } : await readJson(request, maxBodySize)
    if ('fault' in read)
      return read.fault === 'no JSON'
        ? respond(request, noJson, 400)
        : respond(request, tooLarge(maxBodySize), 413)
    const { body } = read
    if (!isRecord(body)) return respond(request, noObject, 400)
    const isEnveloped = body.jsonrpc !== undefined && typeof body.method === 'string'
    const bill = createBill()
    try {
      admit(address)
      const result = await run(found, sourcesOf(request, body), bill)
      const told = isEnveloped ? enveloped(body, { result }) : (result as object)
      return respond(request, told, 200, bill.headers())
    } catch (error) {
      if (isEnveloped) {
        const told = publicError(error, { log, about: async () => ({ call }) })
        return respond(request, enveloped(body, { error: told }), 200, bill.headers())
      }
      const refusal = refusalOf(error, { log, call })
      return respond(request, refusal.body, refusal.status, { ...bill.headers(), ...refusal.headers })
    }
  }

  async function run({ candidates, path }: Found, sources: Sources, bill: Bill): Promise<Json> {
    const { useVp } = readCredentials(sources)
    const endpoint = candidates.find((candidate) => candidate.useVp === useVp) ?? candidates[0]
    const { apiKey, chainId } = readCredentials(sources, endpoint.positions)
    const wait = readFlag('wait', sources.query.get('wait') ?? sources.body.wait ?? false)
    const { scope, price } = endpoint
    return metering({ apiKey, scope, price, bill }, async (caller) => {
      const named = sources.query.get('walletAddress') ?? sources.body.walletAddress ?? path.walletAddress
      if (named !== undefined && named !== null) requireOwnWallet(readWallet(named), caller)
      const sent = { params: sources.params, body: sources.body, path }
      return withNodeTrouble(endpoint.run(sent, { caller, service, chainId, useVp, wait }))
    })
  }
}
