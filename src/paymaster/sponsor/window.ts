import type { ValidityWindow } from '../../types/paymaster/context.ts'
import { PaymasterError } from '../paymaster-error.ts'

/** ms; clocks of chains and machines differ, so a signature holds from a little before it is given */
const headStart = 60_000
/** ms; interface.md, Limits */
const defaultLength = 10 * 60_000
/** ms; what is promised for longer locks budgets for longer than any wallet needs */
const longest = 24 * 60 * 60_000

/**
 * While the signature holds; what the caller names (ms) is used, rounded to seconds.
 * @throws PaymasterError for a window that is over, empty, or ends more than a day away
 */
export function validityWindow(
  asked: { validAfter: number | undefined; validUntil: number | undefined },
  now: number,
): ValidityWindow {
  const { validAfter = now - headStart, validUntil = now + defaultLength } = asked
  const window = { validAfter: Math.floor(validAfter / 1000), validUntil: Math.floor(validUntil / 1000) }
  if (validUntil <= now) throw invalid('validUntil is in the past')
  if (window.validUntil <= window.validAfter) throw invalid('validUntil must be after validAfter')
  if (validUntil > now + longest) throw invalid('validUntil must be within 24 hours')
  return window
}

const invalid = (message: string): PaymasterError =>
  new PaymasterError('invalid', 'invalid_window', `Invalid validity window: ${message}`)
