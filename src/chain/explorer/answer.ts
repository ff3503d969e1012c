import { type Json, Unavailable } from '../../base/errors.ts'

/**
 * The `result` of an Etherscan-shaped answer, `{status, message, result}`. Failures come with HTTP 200 too: status "0"
 * and a text as the result. "No records found" is status "0" with an empty list, and no failure.
 * @throws Unavailable
 */
export function resultIn(body: string): Json {
  const { status, message, result } = objectIn(body)
  if (result === undefined) throw new Unavailable('an answer of another shape')
  if (status === '1' || (Array.isArray(result) && result.length === 0)) return result
  throw new Unavailable(typeof result === 'string' ? result : String(message))
}

function objectIn(body: string): { readonly [key: string]: Json | undefined } {
  try {
    const parsed: Json = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null && 'status' in parsed) return parsed
  } catch {
    // Said below.
  }
  throw new Unavailable('an answer that is not JSON of its kind')
}
