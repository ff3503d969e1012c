/** Response headers by which browsers let pages of other origins read an answer. */
export type CorsHeaders = (origin: string | null) => Readonly<Record<string, string>>

/** s that a browser may remember a preflight answer: the longest that any of them honours */
const maxAge = '86400'

const anyOrigin = { 'access-control-allow-origin': '*' }
const otherOrigin = { vary: 'origin' }

/** `origins` holds `*` for any page, which is safe: no call relies on cookies. */
export function createCors(origins: readonly string[]): CorsHeaders {
  if (origins.includes('*')) return () => anyOrigin
  const allowed = new Set(origins)
  return (origin) => {
    if (origin === null || !allowed.has(origin)) return otherOrigin
    return { ...otherOrigin, 'access-control-allow-origin': origin }
  }
}

/** What a preflight answer says besides. */
export const preflightHeaders = {
  'access-control-allow-methods': 'POST, GET, OPTIONS',
  'access-control-allow-headers': '*, authorization',
  'access-control-max-age': maxAge,
}
