import type { StateSource } from '../../evm/state-source.ts'
import type { Word } from '../../evm/word.ts'
import { type DepositInfo, lockedStake, type StakeInfo } from '../../types/entity.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import { nonceKey, type UserOperation } from '../../types/userop.ts'
import { depositsSlot, noncesSlot } from '../entry-point-slots.ts'
import type { Parties, PhaseEntity } from '../rules/facts.ts'
import type { EntryHash } from '../state/foresight/patterns.ts'

/** Where `deposits[account]` begins; it has two slots. */
export const depositSlots = (account: Word, entryHash: EntryHash): readonly [Word, Word] => {
  const first = entryHash(account, depositsSlot)
  return [first, first + 1n]
}

/** Where the next sequence of an operation's nonce key is. */
export function nonceSlot({ sender, nonce }: UserOperation, entryHash: EntryHash): Word {
  return entryHash(nonceKey(nonce), entryHash(BigInt(sender), noncesSlot))
}

/** Where `handleOps` guards against being entered again; since 0.8 that is transient storage. */
export const guardSlot: Readonly<Record<EntryPointVersion, Word | undefined>> = {
  '0.6': 2n,
  '0.7': 2n,
  '0.8': undefined,
}

/** Bits from `start` on. */
const bits = (word: Word, start: bigint, count: bigint): bigint =>
  BigInt.asUintN(Number(count), word >> start)

/** DepositInfo from its two slots. 0.6: (deposit 112, staked 8, stake 112), delay 32; since then deposit, (8, 112, 32). */
export function depositInfoIn(
  version: EntryPointVersion,
  [first, second]: readonly [Word, Word],
): DepositInfo {
  if (version === '0.6') {
    return {
      deposit: bits(first, 0n, 112n),
      isLocked: bits(first, 112n, 8n) !== 0n,
      stake: bits(first, 120n, 112n),
      unstakeDelaySec: Number(bits(second, 0n, 32n)),
    }
  }
  return {
    deposit: first,
    isLocked: bits(second, 0n, 8n) !== 0n,
    stake: bits(second, 8n, 112n),
    unstakeDelaySec: Number(bits(second, 120n, 32n)),
  }
}

/** Of those that take part, as the block has them. @throws MissingState */
export function stakesIn(
  version: EntryPointVersion,
  { entryPoint, account, factory, paymaster }: Parties,
  { source, entryHash }: { source: StateSource; entryHash: EntryHash },
): Readonly<Record<PhaseEntity, StakeInfo | undefined>> {
  const stakeOf = (party: Word | undefined): StakeInfo | undefined => {
    if (party === undefined) return undefined
    const [first, second] = depositSlots(party, entryHash)
    const word = (slot: Word) => source.storage(entryPoint, slot)
    return lockedStake(depositInfoIn(version, [word(first), word(second)]))
  }
  return { account: stakeOf(account), factory: stakeOf(factory), paymaster: stakeOf(paymaster) }
}
