import type { Address } from 'viem'

/** Who may be blamed (ERC-7562). */
export type EntityKind = 'account' | 'factory' | 'paymaster' | 'aggregator'

export type Entity = { kind: EntityKind; address: Address }

/** An entity's stake at an EntryPoint. */
export type StakeInfo = {
  /** wei */
  stake: bigint
  /** s */
  unstakeDelaySec: number
}

/** What a chain's operator asks of a staked entity (`minStake` wei, `minUnstakeDelay` s). */
export type StakeRequirement = { minStake: bigint; minUnstakeDelay: number }

/** ERC-7562 SREP-010: staked is at least this much, for at least this long. */
export function isStaked(info: StakeInfo, required: StakeRequirement): boolean {
  return info.stake >= required.minStake && info.unstakeDelaySec >= required.minUnstakeDelay
}
