/** Response headers by which browsers let pages of other origins read an answer. */
export type CorsHeaders = (origin: string | null) => Readonly<Record<string, string>>

/** s that a browser may remember a preflight answer: the longest that any of them honours */
const maxAge = '86400'

/** What pages may read of an answer besides its body. */
const exposed = { 'access-control-expose-headers': 'x-credits-cost, x-credits-remaining, retry-after' }
const anyOrigin = { 'access-control-allow-origin': '*', ...exposed }
const otherOrigin = { vary: 'origin' }

/** `origins` holds `*` for any page, which is safe: no call relies on cookies. */
export function createCors(origins: readonly string[]): CorsHeaders {
  if (origins.includes('*')) return () => anyOrigin
  const allowed = new Set(origins)
  return (origin) => {
    if (origin === null || !allowed.has(origin)) return otherOrigin
    return { ...otherOrigin, ...exposed, 'access-control-allow-origin': origin }
  }
}

/** What a preflight answer says besides. */
const preflightHeaders = {
  'access-control-allow-methods': 'POST, GET, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': '*, authorization',
  'access-control-max-age': maxAge,
}

/** Answers a browser that asks before it calls. */
export function preflight(request: Request, cors: CorsHeaders): Response {
  const headers = { ...cors(request.headers.get('origin')), ...preflightHeaders }
  return new Response(null, { status: 204, headers })
}
