import type { Address } from 'viem'
import type { Spent } from '../../types/paymaster/policy.ts'

/** Sums by policy, and by policy and sender. */
export type Tally = {
  add(policyId: number, sender: Address, spent: Spent): void
  subtract(policyId: number, sender: Address, spent: Spent): void
  total(policyId: number): Spent
  ofSender(policyId: number, sender: Address): Spent
}

export const nothing: Spent = { usd: 0n, native: 0n, count: 0 }

export function createTally(): Tally {
  const policies = new Map<number, { total: Spent; senders: Map<Address, Spent> }>()

  function change(policyId: number, sender: Address, spent: Spent, sign: 1 | -1): void {
    const policy = policies.get(policyId) ?? { total: nothing, senders: new Map() }
    const own = plus(policy.senders.get(sender) ?? nothing, spent, sign)
    if (own.count === 0) policy.senders.delete(sender)
    else policy.senders.set(sender, own)
    policies.set(policyId, { ...policy, total: plus(policy.total, spent, sign) })
  }

  return {
    add: (policyId, sender, spent) => change(policyId, sender, spent, 1),
    subtract: (policyId, sender, spent) => change(policyId, sender, spent, -1),
    total: (policyId) => policies.get(policyId)?.total ?? nothing,
    ofSender: (policyId, sender) => policies.get(policyId)?.senders.get(sender) ?? nothing,
  }
}

export function plus(a: Spent, b: Spent, sign: 1 | -1 = 1): Spent {
  const factor = BigInt(sign)
  return {
    usd: a.usd + factor * b.usd,
    native: a.native + factor * b.native,
    count: a.count + sign * b.count,
  }
}
