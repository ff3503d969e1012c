import type { Address, Hash } from 'viem'
import type {
  BundleEvent,
  BundleTerms,
  Inclusion,
  JournaledTransaction,
  Relaying,
} from '../../types/ports/submitter.ts'

/**
 * What the nodes are known to have made of a version. `refused` is a verdict of every node that answered so far;
 * `unknown` may have arrived somewhere, and so may still be mined.
 */
export type Delivery = 'unsent' | 'unknown' | 'accepted' | 'refused'

/** One signed and journaled transaction for a nonce. */
export type Version = { transaction: JournaledTransaction; delivery: Delivery }

/** What keeps the newest version from being taken by the nodes. */
export type Obstacle = 'none' | 'underpriced' | 'unfunded' | 'refused' | 'unclear' | 'stale'

export type SlotState =
  /**
   * Not in a block. `since` is the head when the newest version was made; `missingSince` the head at which the
   * nonce was first seen used without any version of ours in a block; `held`: a ceiling keeps it from being replaced.
   */
  | { kind: 'pending'; since: number; missingSince: number | undefined; obstacle: Obstacle; held: boolean }
  /** In a canonical block, not yet deeper than the reorg depth. */
  | { kind: 'mined'; inclusion: Inclusion }
  /** Over; the journal has yet to take note, and only then is it told. */
  | { kind: 'closing'; event: BundleEvent }

/** A nonce of a relayer that is not settled for good, and the bundle that is bound to it. */
export type Slot = BundleTerms & {
  chainId: number
  bundleId: string
  relayer: Address
  nonce: number
  /** Bound to this nonce; none for a cancellation that only fills a gap. */
  operations: readonly Hash[]
  /** Head when its first version was sent, or sent again by a new process. */
  openedAt: number
  /** Its operations were set free, by a revert or a cancellation: the bundle must not be sent again. */
  released: boolean
  /** Oldest first. */
  versions: readonly Version[]
  state: SlotState
}

export function pendingSlot(
  bundle: BundleTerms & Pick<Slot, 'chainId' | 'bundleId' | 'relayer' | 'nonce' | 'versions'>,
  head: number,
): Slot {
  return { ...bundle, openedAt: head, released: false, state: pendingSince(head) }
}

export function pendingSince(head: number): Extract<SlotState, { kind: 'pending' }> {
  return { kind: 'pending', since: head, missingSince: undefined, obstacle: 'none', held: false }
}

/** A relay holds what it was given, whatever it answers; cancellations do not go there. */
export function newVersion(transaction: JournaledTransaction, { mode }: Relaying): Version {
  const isNodes = mode === 'classic' || transaction.kind === 'cancel'
  return { transaction, delivery: isNodes ? 'unsent' : 'unknown' }
}
