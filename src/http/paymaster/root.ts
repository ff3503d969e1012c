import type { Log } from '../../base/log.ts'
import type { Admit } from '../../base/rate.ts'
import { type Envelope, isRecord, unparsable } from '../../rpc/envelope.ts'
import { createBill } from '../../rpc/metering/bill.ts'
import { pm_sponsorUserOperation } from '../../rpc/methods/pm_sponsorUserOperation.ts'
import type { PaymasterDispatcher } from '../../rpc/paymaster/dispatch.ts'
import type { PaymasterPerform } from '../../rpc/paymaster/perform.ts'
import type { Respond } from '../answers.ts'
import { refusalOf } from './refusal.ts'
import { readJson, tooLarge } from './request-body.ts'
import { enveloped, sourcesOf } from './sources.ts'

/** Answers a POST at the paymaster's address itself. */
export type RootHandler = (request: Request, address: string) => Promise<Response>

/** JSON-RPC; a single call without a method is the sponsor call of old SDKs. */
export function createRootHandler(
  options: { /** bytes */ maxBodySize: number },
  modules: {
    perform: PaymasterPerform
    dispatch: PaymasterDispatcher
    admit: Admit
    respond: Respond
    log: Log
  },
): RootHandler {
  const { perform, dispatch, admit, respond, log } = modules
  const { maxBodySize } = options

  return async (request, address) => {
    const read = await readJson(request, maxBodySize)
    if ('fault' in read)
      return read.fault === 'no JSON'
        ? respond(request, unparsable())
        : respond(request, tooLarge(maxBodySize), 413)
    const { body } = read
    if (isSponsorCall(body)) return sponsor(request, body, address)
    const bill = createBill()
    const { searchParams: query } = new URL(request.url)
    const answer = await dispatch(body, { address, query, headers: request.headers, bill })
    return respond(request, answer, 200, bill.headers())
  }

  /** Its failures are a text and nothing else. */
  async function sponsor(request: Request, body: Envelope, address: string): Promise<Response> {
    const bill = createBill()
    try {
      admit(address)
      const sources = sourcesOf(request, body)
      const result = await perform(pm_sponsorUserOperation, sources.params, {
        sources,
        chainId: undefined,
        bill,
      })
      const answer = body.jsonrpc === undefined ? result : enveloped(body, { result })
      return respond(request, answer as object, 200, bill.headers())
    } catch (error) {
      const refusal = refusalOf(error, { log, call: pm_sponsorUserOperation.name })
      const headers = { ...bill.headers(), ...refusal.headers }
      return respond(request, { error: refusal.body.error }, refusal.status, headers)
    }
  }
}

function isSponsorCall(body: unknown): body is Envelope {
  return isRecord(body) && body.method === undefined && (body.jsonrpc !== undefined || 'params' in body)
}
