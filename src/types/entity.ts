/** Who may be blamed (ERC-7562). */
export type EntityKind = 'account' | 'factory' | 'paymaster' | 'aggregator'

/** An entity's stake at an EntryPoint. */
export type StakeInfo = {
  /** wei */
  stake: bigint
  /** s */
  unstakeDelaySec: number
}

/** What an EntryPoint keeps of an entity. A stake that is not locked any more may be withdrawn soon, or now. */
export type DepositInfo = StakeInfo & {
  /** wei */
  deposit: bigint
  isLocked: boolean
}

/** The stake that counts: "a locked stake" (ERC-7562, definitions). */
export function lockedStake({ stake, unstakeDelaySec, isLocked }: DepositInfo): StakeInfo {
  return { stake: isLocked ? stake : 0n, unstakeDelaySec }
}

/** What a chain's operator asks of a staked entity (`minStake` wei, `minUnstakeDelay` s). */
export type StakeRequirement = { minStake: bigint; minUnstakeDelay: number }

/** ERC-7562 SREP-010: staked is at least this much, for at least this long. `info` is of a stake that is locked. */
export function isStaked(info: StakeInfo, required: StakeRequirement): boolean {
  return info.stake >= required.minStake && info.unstakeDelaySec >= required.minUnstakeDelay
}
