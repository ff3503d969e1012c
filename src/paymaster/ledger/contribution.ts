import type { Spent } from '../../types/paymaster/policy.ts'
import type { Claim, Sponsorship } from '../../types/paymaster/sponsorship.ts'

/** What a sponsorship counts against a policy. */
export type Contribution = { policyId: number; spent: Spent }

/**
 * While it is open, each policy that signed for it holds the dearest of its signatures; once it is paid, the one whose
 * signature was used bears what it really cost, in US dollars at the price of the signature.
 */
export function contributionsOf({ claims, settled }: Sponsorship): readonly Contribution[] {
  if (settled === undefined) {
    const policies = new Set(claims.map(({ policyId }) => policyId))
    return [...policies].flatMap((policyId) => {
      if (policyId === undefined) return []
      const own = claims.filter((claim) => claim.policyId === policyId)
      const dearest = (measure: 'native' | 'usd') =>
        own.reduce((most, claim) => max(most, claim[measure]), 0n)
      return [{ policyId, spent: { native: dearest('native'), usd: dearest('usd'), count: 1 } }]
    })
  }
  const used = usedClaim(claims, settled)
  if (used?.policyId === undefined) return []
  const usd = used.native === 0n ? 0n : divideUp(used.usd * settled.native, used.native)
  return [{ policyId: used.policyId, spent: { native: settled.native, usd, count: 1 } }]
}

/** wei that the paymaster must still be good for, by the tenant whose money it is, and (`undefined`) in all */
export function promisedBy({ claims, settled }: Sponsorship): ReadonlyMap<string | undefined, bigint> {
  const promised = new Map<string | undefined, bigint>()
  if (settled !== undefined) return promised
  for (const { tenantId, native } of claims)
    for (const owner of [tenantId, undefined]) promised.set(owner, max(promised.get(owner) ?? 0n, native))
  return promised
}

/** The newest bears what none of the signatures that we know explains: an operation altered in what we did not sign. */
function usedClaim(
  claims: readonly Claim[],
  settled: NonNullable<Sponsorship['settled']>,
): Claim | undefined {
  return claims.find(({ userOpHash }) => userOpHash === settled.userOpHash) ?? claims.at(-1)
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const divideUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by
