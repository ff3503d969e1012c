import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Policy } from '../../types/paymaster/policy.ts'
import { PaymasterError } from '../paymaster-error.ts'
import { isInScope } from './enforce.ts'
import { policyNotFound } from './policy-not-found.ts'

/** The policies of one tenant, and those of others by id. */
export type PolicyBook = {
  byId(id: number): Policy | undefined
  /** Newest first, disabled ones included. */
  ofTenant(tenantId: string): readonly Policy[]
}

/**
 * The policy that decides (answers.md §2): the one that the caller names, its own or a public one with a limit; else the
 * newest enabled one in scope. `undefined` where the tenant has none at all: then its whitelist alone decides.
 * @throws PaymasterError when the named one is not there for the caller, or when none of the tenant's fits
 */
export function choosePolicy(
  request: { tenantId: string; policyId: number | undefined; chainId: number; version: EntryPointVersion },
  book: PolicyBook,
): Policy | undefined {
  const { tenantId, policyId } = request
  if (policyId !== undefined) {
    const named = book.byId(policyId)
    const usable = named !== undefined && (named.tenantId === tenantId || isOpenToOthers(named))
    if (!usable) throw policyNotFound()
    return named
  }
  const own = book.ofTenant(tenantId)
  if (own.length === 0) return undefined
  const fitting = own.find((policy) => policy.isEnabled && isInScope(policy, request))
  if (fitting === undefined)
    throw new PaymasterError(
      'refused',
      'no_policy_in_scope',
      'No enabled sponsorship policy covers this chain and EntryPoint version',
    )
  return fitting
}

/** A public policy without any limit would be an open purse; `isPublic` is refused for it, and means nothing here. */
export function isOpenToOthers(policy: Policy): boolean {
  const reaches = [policy.global, policy.perUser, policy.perOperation]
  const limited = reaches.some(
    ({ applicable, usd, native, count }) =>
      applicable && (usd !== undefined || native !== undefined || count !== undefined),
  )
  return policy.isPublic && limited
}
