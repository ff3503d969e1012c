import { parseTransaction } from 'viem'
import { fundingPeriod } from '../../../types/funding.ts'
import type { JournaledTransaction } from '../../../types/ports/submitter.ts'

/** What was signed away in the last day, by top-up; it counts from the moment of signing. */
export type Spending = {
  /** wei */
  total(now: number): bigint
  add(bundleId: string, amount: bigint, at: number): void
  /** It is certain that it was not paid. */
  remove(bundleId: string): void
}

/**
 * @param journaled versions of the top-ups of the last day: each top-up counts, also one that was given up before the
 * start, since the journal does not tell. The limit can be reached too early by that, never too late.
 */
export function createSpending(journaled: readonly JournaledTransaction[]): Spending {
  const spent = new Map<string, { amount: bigint; at: number }>()
  for (const { bundleId, kind, raw, createdAt } of journaled) {
    if (kind === 'bundle') spent.set(bundleId, { amount: parseTransaction(raw).value ?? 0n, at: createdAt })
  }
  return {
    total(now) {
      for (const [bundleId, { at }] of spent) if (now - at >= fundingPeriod) spent.delete(bundleId)
      return [...spent.values()].reduce((sum, { amount }) => sum + amount, 0n)
    },
    add: (bundleId, amount, at) => void spent.set(bundleId, { amount, at }),
    remove: (bundleId) => void spent.delete(bundleId),
  }
}
