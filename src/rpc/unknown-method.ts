import { TandemError } from '../base/errors.ts'
import { nearest } from '../base/nearest.ts'

/** Longer names are not looked up for suggestions: the longest that we know has 40. */
const longestName = 64

/** -32601, with the method that may have been meant. */
export function unknownMethod(name: unknown, names: readonly string[]): TandemError {
  const known = String(name)
  const short = known.length <= longestName
  const suggestion = short ? nearest(known, names) : undefined
  const message = `the method ${short ? known : `${known.slice(0, longestName)}…`} is not available`
  return new TandemError(
    -32601,
    message,
    suggestion === undefined ? undefined : { hint: `did you mean ${suggestion}?` },
  )
}
