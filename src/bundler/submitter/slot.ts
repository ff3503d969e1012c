import type { Address, Hash } from 'viem'
import type { BlockRef } from '../../types/block.ts'
import type { BundleEvent, JournaledTransaction } from '../../types/ports/submitter.ts'

/**
 * What the nodes are known to have made of a version. `refused` is a verdict of every node that answered so far;
 * `unknown` may have arrived somewhere, and so may still be mined.
 */
export type Delivery = 'unsent' | 'unknown' | 'accepted' | 'refused'

/** One signed and journaled transaction for a nonce. */
export type Version = { transaction: JournaledTransaction; delivery: Delivery }

/** Where one version of a nonce was mined; its block was canonical when it was read. */
export type Inclusion = {
  transactionHash: Hash
  block: BlockRef
  reverted: boolean
  gasUsed: bigint
  effectiveGasPrice: bigint
}

/** What keeps the newest version from being taken by the nodes. */
export type Obstacle = 'none' | 'underpriced' | 'unfunded' | 'refused' | 'unclear'

export type SlotState =
  /**
   * Not in a block. `since` is the head when the newest version was made; `missingSince` the head at which the
   * nonce was first seen used without any version of ours in a block.
   */
  | { kind: 'pending'; since: number; missingSince: number | undefined; obstacle: Obstacle }
  /** In a canonical block, not yet deeper than the reorg depth. */
  | { kind: 'mined'; inclusion: Inclusion }
  /** Over; the journal has yet to take note, and only then is it told. */
  | { kind: 'closing'; event: BundleEvent }

/** A nonce of a relayer that is not settled for good, and the bundle that is bound to it. */
export type Slot = {
  chainId: number
  bundleId: string
  relayer: Address
  nonce: number
  /** Bound to this nonce; none for a cancellation that only fills a gap. */
  operations: readonly Hash[]
  /** Its operations were set free, by a revert or a cancellation: the bundle must not be sent again. */
  released: boolean
  /** Oldest first. */
  versions: readonly Version[]
  state: SlotState
}

export function pendingSlot(
  bundle: Pick<Slot, 'chainId' | 'bundleId' | 'relayer' | 'nonce' | 'operations' | 'versions'>,
  since: number,
): Slot {
  return {
    ...bundle,
    released: false,
    state: { kind: 'pending', since, missingSince: undefined, obstacle: 'none' },
  }
}
