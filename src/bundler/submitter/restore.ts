import type { Address } from 'viem'
import type { JournaledTransaction, OpenBundle } from '../../types/ports/submitter.ts'
import { pendingSlot, type Slot } from './slot.ts'

/** Relayers that the journal holds nonces of. */
export function relayersIn(journal: readonly OpenBundle[]): ReadonlySet<Address> {
  return new Set(journal.flatMap(({ transactions }) => transactions.map(({ relayer }) => relayer)))
}

/**
 * What the journal holds of one relayer, by nonce. A nonce has more than one bundle only when a crash came between
 * the refusal of one and its being forgotten; oldest first. Whether a version was ever sent is not known.
 */
export function restoreSlots(
  journal: readonly OpenBundle[],
  { relayer, head }: { relayer: Address; head: number },
): ReadonlyMap<number, readonly Slot[]> {
  const byNonce = new Map<number, Slot[]>()
  for (const { bundleId, operations, ceiling, conditions, transactions } of journal) {
    const first = transactions[0]
    if (first === undefined || first.relayer !== relayer) continue
    const { chainId, nonce } = first
    const versions = transactions.map((transaction) => ({ transaction, delivery: 'unknown' as const }))
    const terms = { operations, ceiling, conditions }
    const slot = pendingSlot({ chainId, bundleId, relayer, nonce, ...terms, versions }, head)
    byNonce.set(nonce, [...(byNonce.get(nonce) ?? []), slot])
  }
  for (const slots of byNonce.values()) slots.sort((a, b) => createdAt(a) - createdAt(b))
  return byNonce
}

/** Nonces that must be used up before the open ones can be mined, and that nobody has a transaction for. */
export function gaps(chainNonce: number, nonces: readonly number[]): number[] {
  const open = new Set(nonces)
  const missing: number[] = []
  for (let nonce = chainNonce; nonce < Math.max(chainNonce, ...nonces); nonce++) {
    if (!open.has(nonce)) missing.push(nonce)
  }
  return missing
}

function createdAt({ versions }: Slot): JournaledTransaction['createdAt'] {
  return versions.at(-1)?.transaction.createdAt ?? 0
}
