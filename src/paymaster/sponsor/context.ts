import { type Address, getAddress, isAddress } from 'viem'
import type { Json } from '../../base/errors.ts'
import type { PaymasterContext } from '../../types/paymaster/context.ts'
import { PaymasterError } from '../paymaster-error.ts'
import { policyNotFound } from '../policies/policy-not-found.ts'

/**
 * The context of a `pm_*` call. Null and absent are the same; without a mode a token means `commonerc20`, else the
 * operation is sponsored.
 * @throws PaymasterError with the texts that clients know
 */
export function readContext(given: Json | undefined): PaymasterContext {
  const context = given ?? {}
  if (typeof context !== 'object' || Array.isArray(context))
    throw invalid('invalid_context', 'Invalid context')
  const fields = context as { readonly [field: string]: Json | undefined }
  const token = fields.token ?? undefined
  const mode = fields.mode ?? (token === undefined ? 'sponsor' : 'commonerc20')
  switch (mode) {
    case 'sponsor':
      return {
        mode,
        policyId: readPolicyId(fields.policyId ?? fields.sponsorshipPolicyId ?? undefined),
        validAfter: readTime('validAfter', fields.validAfter ?? undefined),
        validUntil: readTime('validUntil', fields.validUntil ?? undefined),
      }
    case 'erc20':
      if (typeof token !== 'string' || token === '') throw unsupportedToken()
      return { mode, token }
    case 'multitoken':
    case 'commonerc20':
      return { mode, token: readToken(token) }
    default:
      throw invalid('invalid_mode', 'Invalid mode selected')
  }
}

export const unsupportedToken = (): PaymasterError =>
  invalid('unsupported_token', 'Unsupported network/token')

function readToken(token: Json | undefined): Address {
  if (typeof token !== 'string' || !isAddress(token, { strict: false })) throw unsupportedToken()
  return getAddress(token)
}

/** A number, or its decimal text as permissionless sends it. */
function readPolicyId(given: Json | undefined): number | undefined {
  if (given === undefined) return undefined
  const id = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given
  // An id of another kind is nobody's policy.
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw policyNotFound()
  return id
}

function readTime(field: string, given: Json | undefined): number | undefined {
  if (given === undefined) return undefined
  const time = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given
  if (typeof time !== 'number' || !Number.isFinite(time) || time < 0)
    throw invalid(`invalid_${field}`, `Invalid ${field}: milliseconds since 1970 are expected`)
  return time
}

const invalid = (reason: string, message: string): PaymasterError =>
  new PaymasterError('invalid', reason, message)
