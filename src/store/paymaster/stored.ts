import { type Hash, type Hex, numberToHex } from 'viem'
import type { Policy, Reach } from '../../types/paymaster/policy.ts'
import type { Claim, Sponsorship } from '../../types/paymaster/sponsorship.ts'

/** Forms that JSON can hold: amounts as hex text, nothing as null. */

type StoredReach = Omit<Reach, 'usd' | 'native'> & { usd: Hex | null; native: Hex | null }
export type StoredPolicy = Omit<Policy, 'global' | 'perUser' | 'perOperation'> & {
  [Name in 'global' | 'perUser' | 'perOperation']: StoredReach
}
export type StoredClaims = readonly (Omit<Claim, 'native' | 'usd'> & { native: Hex; usd: Hex })[]
export type StoredSettlement = { userOpHash: Hash; native: Hex; block: { number: number; hash: Hash } } | null

export function storedPolicy(policy: Policy): StoredPolicy {
  const { global, perUser, perOperation, ...rest } = policy
  return {
    ...rest,
    global: storedReach(global),
    perUser: storedReach(perUser),
    perOperation: storedReach(perOperation),
  }
}

/** What JSON left out, because it was undefined, is undefined again. */
export function policyOf(stored: StoredPolicy): Policy {
  return {
    ...stored,
    startTime: stored.startTime ?? undefined,
    endTime: stored.endTime ?? undefined,
    allowList: stored.allowList ?? undefined,
    blockList: stored.blockList ?? undefined,
    allowedTargets: stored.allowedTargets ?? undefined,
    global: reachOf(stored.global),
    perUser: reachOf(stored.perUser),
    perOperation: reachOf(stored.perOperation),
  }
}

export function storedClaims({ claims }: Sponsorship): StoredClaims {
  return claims.map((claim) => ({
    ...claim,
    native: numberToHex(claim.native),
    usd: numberToHex(claim.usd),
  }))
}

export function claimsOf(stored: StoredClaims): readonly Claim[] {
  return stored.map((claim) => ({
    ...claim,
    policyId: claim.policyId ?? undefined,
    native: BigInt(claim.native),
    usd: BigInt(claim.usd),
  }))
}

export function storedSettlement({ settled }: Sponsorship): StoredSettlement {
  return settled === undefined ? null : { ...settled, native: numberToHex(settled.native) }
}

export function settlementOf(stored: StoredSettlement): Sponsorship['settled'] {
  return stored === null ? undefined : { ...stored, native: BigInt(stored.native) }
}

function storedReach({ usd, native, ...rest }: Reach): StoredReach {
  return { ...rest, usd: hexOrNull(usd), native: hexOrNull(native) }
}

function reachOf({ usd, native, ...rest }: StoredReach): Reach {
  const amount = (value: Hex | null) => (value === null ? undefined : BigInt(value))
  return { ...rest, count: rest.count ?? undefined, usd: amount(usd), native: amount(native) }
}

const hexOrNull = (value: bigint | undefined): Hex | null => (value === undefined ? null : numberToHex(value))
