import type { Address } from 'viem'
import type { Shortage } from '../../../types/ports/submitter.ts'

export type Balance = { address: Address; balance: bigint }
export type Grant = { address: Address; amount: bigint }

/** All amounts in wei. */
export type Means = {
  /** A relayer with less is topped up… */
  below: bigint
  /** …to this. */
  to: bigint
  /** what the daily limit leaves */
  allowed: bigint
  /** what the funding account has to give */
  available: bigint
}

/**
 * Who gets how much, the neediest first. A relayer gets less than it should when that brings it to `below` at least;
 * else it gets nothing, so that little money does not leave in many small pieces.
 */
export function planTopUps(
  relayers: readonly Balance[],
  { below, to, allowed, available }: Means,
): { grants: readonly Grant[]; shortage: Shortage } {
  const grants: Grant[] = []
  let shortage: Shortage = 'none'
  let left = allowed < available ? allowed : available
  const needy = relayers.filter(({ balance }) => balance < below).toSorted(byBalance)
  for (const { address, balance } of needy) {
    const wanted = to - balance
    const amount = wanted < left ? wanted : left
    if (amount < wanted) shortage = allowed < available ? 'daily-limit' : 'funds'
    if (balance + amount < below) continue
    grants.push({ address, amount })
    left -= amount
  }
  return { grants, shortage }
}

const byBalance = (a: Balance, b: Balance): number =>
  a.balance < b.balance ? -1 : a.balance > b.balance ? 1 : 0
