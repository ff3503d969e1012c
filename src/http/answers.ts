import type { Answer } from '../rpc/envelope.ts'
import type { PublicError } from '../rpc/public-error.ts'
import type { CorsHeaders } from './cors.ts'

/** Puts JSON on the wire, readable for browsers; nothing is an empty body. */
export type Respond = (
  request: Request,
  body: object | undefined,
  status?: number,
  further?: Readonly<Record<string, string>>,
) => Response

export function createRespond(cors: CorsHeaders): Respond {
  return (request, body, status = 200, further = {}) => {
    const headers = {
      'content-type': 'application/json',
      ...cors(request.headers.get('origin')),
      ...further,
    }
    return new Response(body === undefined ? null : JSON.stringify(body), { status, headers })
  }
}

/** A JSON-RPC answer to a request that was not looked into. */
export function refusal(error: PublicError): Answer {
  return { jsonrpc: '2.0', id: null, error }
}
