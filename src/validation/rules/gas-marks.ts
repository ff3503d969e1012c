import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { GasFacts } from './facts.ts'

/** Where an operation's phases lie among the readings of its EntryPoint's gas (GAS opcodes in its own code). */
export type GasMarks = {
  /** How many readings there were when the operation's first phase began, and so on. */
  start: number
  accountEnd: number | undefined
  paymasterStart: number | undefined
  paymasterEnd: number | undefined
}

/**
 * How much an EntryPoint believes that an operation used of its limits, from its own readings of the gas left.
 * 0.6 reads once at the beginning and once for the account's part, and compares at the very end (AA40). Since 0.7 it
 * compares after the account (AA26) and reads anew for the paymaster (AA36).
 */
export function gasFactsOf(
  version: EntryPointVersion,
  marks: GasMarks,
  readings: readonly number[],
): GasFacts {
  const { start, accountEnd, paymasterStart, paymasterEnd } = marks
  const between = (from: number, to: number): number | undefined => {
    const [before, after] = [readings[from], readings[to]]
    return before === undefined || after === undefined ? undefined : before - after
  }
  if (version === '0.6') {
    const end = paymasterEnd ?? (accountEnd === undefined ? undefined : accountEnd + 1)
    return {
      verification: end === undefined ? undefined : between(start - 2, end),
      paymasterVerification: undefined,
    }
  }
  return {
    verification: accountEnd === undefined ? undefined : between(start - 1, accountEnd),
    paymasterVerification:
      paymasterStart === undefined || paymasterEnd === undefined
        ? undefined
        : between(paymasterStart - 1, paymasterEnd),
  }
}
