import { TandemError } from '../base/errors.ts'
import type { UserOperation } from '../types/userop.ts'
import { aaCodes } from './aa-codes.ts'
import { blame, rejectionOf } from './rejection.ts'
import type { ValidationData } from './validation-data.ts'

/** s that an operation must stay valid, so that it can still be bundled (error table). */
const leastValidity = 30

/** Who answered, for the error: an account's AA2x codes and a paymaster's AA3x codes say the same things. */
const wording = {
  account: {
    signature: 'AA24 signature error',
    time: 'AA22 expired or not due',
    soon: 'AA22 expires too soon',
  },
  paymaster: {
    signature: 'AA34 signature error',
    time: 'AA32 paymaster expired or not due',
    soon: 'AA32 paymaster expires too soon',
  },
} as const

/** Who is to be named in an error about validation data. */
export type Validator = keyof typeof wording

/**
 * The validation data that `validator` gave would keep the operation out of a bundle. No aggregator is supported, so
 * that ERC-7562 has nothing to say about any (EREP-016, EREP-040).
 * @throws TandemError
 */
export function requireAuthorized(op: UserOperation, validator: Validator, data: ValidationData): void {
  if (data.authorizer === 'valid') return
  if (data.authorizer === 'signature-failed' || validator === 'paymaster') {
    throw rejectionOf(op, { reason: wording[validator].signature, inner: undefined, raw: '0x' })
  }
  const { aggregator } = data.authorizer
  throw new TandemError(-32506, `signature aggregator ${aggregator} is not supported`, {
    entity: 'aggregator',
    address: aggregator,
    aggregator,
  })
}

type TimeRange = Pick<ValidationData, 'validAfter' | 'validUntil'>

/** Valid at `timestamp` (s since 1970), as the EntryPoint sees it. */
export function isInTime({ validAfter, validUntil }: TimeRange, timestamp: number): boolean {
  return (validAfter ?? 0) <= timestamp && timestamp <= (validUntil ?? Number.POSITIVE_INFINITY)
}

/** Valid at `timestamp` and for a while after it. @throws TandemError -32503 */
export function requireInTime(
  op: UserOperation,
  validator: Validator,
  range: TimeRange,
  timestamp: number,
): void {
  const inTime = isInTime(range, timestamp)
  if (inTime && isInTime(range, timestamp + leastValidity)) return
  const { time, soon } = wording[validator]
  const aaCode = validator === 'paymaster' ? 'AA32' : 'AA22'
  throw new TandemError(-32503, inTime ? soon : time, {
    aaCode,
    ...blame(op, validator),
    validAfter: range.validAfter ?? null,
    validUntil: range.validUntil ?? null,
    hint: aaCodes.get(aaCode)?.hint,
  })
}
