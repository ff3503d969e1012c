import type { Limits, Policy, Reach } from '../../../src/types/paymaster/policy.ts'
import type { Claim, SponsorshipKey } from '../../../src/types/paymaster/sponsorship.ts'
import { address, hash } from '../../support/builders.ts'

export const unlimited: Reach = { applicable: false, usd: undefined, native: undefined, count: undefined }
export const limited = (limits: Partial<Limits>): Reach => ({ ...unlimited, ...limits, applicable: true })

/** A policy that takes everything; `changes` make it stricter. */
export function policy(changes: Partial<Policy> = {}): Policy {
  return {
    id: 1,
    tenantId: 't1',
    name: 'welcome',
    description: '',
    isPublic: false,
    isEnabled: true,
    isPerpetual: true,
    startTime: undefined,
    endTime: undefined,
    isApplicableToAllNetworks: true,
    enabledChains: [],
    versions: ['0.8', '0.7', '0.6'],
    global: unlimited,
    perUser: unlimited,
    perOperation: unlimited,
    allowList: undefined,
    blockList: undefined,
    allowedTargets: undefined,
    whitelistApplicable: false,
    createdAt: 0,
    updatedAt: 0,
    ...changes,
  }
}

export function key(changes: Partial<SponsorshipKey> = {}): SponsorshipKey {
  return { chainId: 1, paymaster: address(100), sender: address(1), nonce: 0n, ...changes }
}

/** A signature for policy 1 of tenant 1: 100 wei, 1000 units of 10⁻⁸ USD. */
export function claim(changes: Partial<Claim> = {}): Claim {
  return {
    userOpHash: hash(1),
    tenantId: 't1',
    policyId: 1,
    native: 100n,
    usd: 1000n,
    validUntil: 1000,
    ...changes,
  }
}
