import type { Respond } from '../answers.ts'
import { type CorsHeaders, preflight } from '../cors.ts'
import { ownDocument } from '../openapi/served.ts'
import type { PaymasterHandler } from './handler.ts'

/** Answers where the paymaster has a host or a port of its own: its paths start at the root. */
export type OwnAddress = (
  request: Request,
  /** Under which the client's calls are counted. */
  address: string,
) => Promise<Response>

export function createOwnAddress(
  options: { version: string },
  { handle, respond, cors }: { handle: PaymasterHandler; respond: Respond; cors: CorsHeaders },
): OwnAddress {
  const document = ownDocument(options)
  return async (request, address) => {
    if (request.method === 'OPTIONS') return preflight(request, cors)
    const { pathname } = new URL(request.url)
    if (request.method === 'GET' && pathname === '/health') return respond(request, { alive: true })
    if (request.method === 'GET' && pathname === '/openapi/json') return respond(request, document)
    return handle(request, pathname, address)
  }
}
