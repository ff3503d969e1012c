import type { Json } from '../../base/errors.ts'
import type { Envelope } from '../../rpc/envelope.ts'
import type { Sources } from '../../rpc/paymaster/credentials.ts'

/** Where a request may have key, chain and params. */
export function sourcesOf(request: Request, body: Envelope): Sources {
  const { searchParams: query } = new URL(request.url)
  const params: readonly unknown[] = Array.isArray(body.params) ? body.params : []
  return { query, headers: request.headers, body, params }
}

/** Puts the outcome of a call that is no JSON-RPC into the envelope that it came in. */
export function enveloped({ jsonrpc, id }: Envelope, outcome: { result: Json } | { error: object }): object {
  return { jsonrpc, id: id ?? null, ...outcome }
}
