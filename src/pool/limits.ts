import { type Address, numberToHex } from 'viem'
import { LimitExceeded, TandemError } from '../base/errors.ts'
import { isStaked, type StakeRequirement } from '../types/entity.ts'
import type { UserOperation } from '../types/userop.ts'
import type { ValidationFacts } from '../types/verdict.ts'
import type { Held } from './held.ts'
import { accountIn, helpersIn, idOf, type Participant, stakeOf } from './participant.ts'
import type { Reputation } from './reputation.ts'
import { retryAfterMs } from './retry.ts'
import type { Roster } from './roster.ts'

/** ERC-7562, SAME_SENDER_MEMPOOL_COUNT */
const unstakedSenderCount = 4
/** ERC-7562, THROTTLED_ENTITY_MEMPOOL_COUNT */
const throttledCount = 4

/** -32504 (GREP-010, GREP-020) */
export class EntityRefused extends TandemError {
  override readonly name = 'EntityRefused'
  constructor({ kind, address }: Participant, status: 'throttled' | 'banned') {
    super(-32504, `${kind} ${address} is ${status}`, {
      entity: kind,
      address,
      hint: 'too few of its operations were included; its reputation recovers by the hour',
    })
  }
}

/** -32502 (STO-040): the same address as an account here and as an entity there. */
export class RolesConflict extends TandemError {
  override readonly name = 'RolesConflict'
  constructor({ kind, address }: Participant) {
    const other = kind === 'account' ? 'an entity' : 'the account'
    super(-32502, `${kind} ${address} is ${other} of another operation in the mempool`, {
      rule: 'STO-040',
      entity: kind,
      address,
      hint: 'wait until the other operation is included',
    })
  }
}

/** -32502 (STO-041): one operation relies on storage that the account of another can change. */
export class StorageConflict extends TandemError {
  override readonly name = 'StorageConflict'
  constructor({ kind, address }: Participant, contract: Address) {
    super(
      -32502,
      `${kind} ${address} uses storage of ${contract}, an account with an operation in the mempool`,
      {
        rule: 'STO-041',
        ...{ entity: kind, address, contract },
        hint: 'wait until the other operation is included',
      },
    )
  }
}

/** -32502 (AUTH-040) */
export class DelegatesConflict extends TandemError {
  override readonly name = 'DelegatesConflict'
  constructor({ kind, address }: Participant, delegate: Address) {
    super(-32502, `${kind} ${address} delegates to ${delegate} in another operation in the mempool`, {
      rule: 'AUTH-040',
      ...{ entity: kind, address, delegate },
      hint: 'wait until the other operation is included, or replace it',
    })
  }
}

/** -32505 (UREP-010) */
export class TooManyOfSender extends TandemError {
  override readonly name = 'TooManyOfSender'
  constructor({ kind, address }: Participant, { minStake, minUnstakeDelay }: StakeRequirement) {
    super(-32505, `an unstaked sender may have ${unstakedSenderCount} operations in the mempool`, {
      entity: kind,
      address,
      minimumStake: numberToHex(minStake),
      minimumUnstakeDelay: numberToHex(minUnstakeDelay),
      hint: 'wait until one of them is included, or stake the account',
    })
  }
}

/** -32005 (UREP-020) */
export class TooManyOfEntity extends LimitExceeded {
  constructor({ kind, address }: Participant, allowed: number) {
    super(`unstaked ${kind} ${address} may have ${allowed} operations in the mempool`, {
      entity: kind,
      address,
      retryAfterMs,
      hint: 'wait until one of them is included, or stake it',
    })
  }
}

type Records = { reputation: Reputation; roster: Pick<Roster, 'sentBy' | 'helpedBy' | 'storedAt'> }

/**
 * What is refused whatever validation says. `replaced` leaves as `op` comes.
 * @throws EntityRefused, RolesConflict, DelegatesConflict
 */
export function requireWelcome(
  op: UserOperation,
  replaced: Held | undefined,
  { reputation, roster }: Records,
): void {
  for (const participant of [accountIn(op), ...helpersIn(op)]) {
    const status = reputation.status(participant)
    if (status === 'banned') throw new EntityRefused(participant, status)
    if (status === 'throttled' && othersOf(participant, replaced, roster) >= throttledCount) {
      throw new EntityRefused(participant, status)
    }
  }
  requireOneRole(op, roster)
  requireOneDelegate(op, replaced, roster)
}

/**
 * STO-041, whichever of the two came first.
 * @throws StorageConflict
 */
export function requireOwnStorage(
  op: UserOperation,
  facts: ValidationFacts,
  { roster }: Pick<Records, 'roster'>,
): void {
  const account = accountIn(op)
  for (const contract of facts.scope?.associated ?? []) {
    if (roster.sentBy(idOf(contract)).size > 0) throw new StorageConflict(account, contract)
  }
  const [other] = [...roster.storedAt(account.id)].filter((held) => held.account.id !== account.id)
  if (other !== undefined) throw new StorageConflict(other.account, account.address)
}

/**
 * The limits that stake lifts. `replaced` leaves as `op` comes.
 * @throws TooManyOfSender, TooManyOfEntity
 */
export function requireRoom(
  op: UserOperation,
  facts: ValidationFacts,
  replaced: Held | undefined,
  required: StakeRequirement,
  { reputation, roster }: Records,
): void {
  const account = accountIn(op)
  if (!isTrusted(account, facts, required, reputation)) {
    if (othersOf(account, replaced, roster) >= unstakedSenderCount)
      throw new TooManyOfSender(account, required)
  }
  for (const helper of helpersIn(op)) {
    if (isTrusted(helper, facts, required, reputation)) continue
    const allowed = reputation.allowance(helper)
    if (othersOf(helper, replaced, roster) >= allowed) throw new TooManyOfEntity(helper, allowed)
  }
}

/** Staked, or vouched for by the operator. */
export function isTrusted(
  participant: Participant,
  facts: ValidationFacts,
  required: StakeRequirement,
  reputation: Reputation,
): boolean {
  if (reputation.isWhitelisted(participant)) return true
  const stake = stakeOf(participant.kind, facts)
  return stake !== undefined && isStaked(stake, required)
}

function othersOf({ kind, id }: Participant, replaced: Held | undefined, roster: Records['roster']): number {
  const present = kind === 'account' ? roster.sentBy(id) : roster.helpedBy(id)
  return present.size - (replaced !== undefined && present.has(replaced) ? 1 : 0)
}

function requireOneDelegate(op: UserOperation, replaced: Held | undefined, roster: Records['roster']): void {
  if (op.eip7702Auth === undefined) return
  const account = accountIn(op)
  const delegate = idOf(op.eip7702Auth.address)
  for (const held of roster.sentBy(account.id)) {
    const other = held.op.eip7702Auth?.address
    if (held !== replaced && other !== undefined && idOf(other) !== delegate)
      throw new DelegatesConflict(account, other)
  }
}

function requireOneRole(op: UserOperation, roster: Records['roster']): void {
  const account = accountIn(op)
  if (roster.helpedBy(account.id).size > 0) throw new RolesConflict(account)
  for (const helper of helpersIn(op)) {
    if (roster.sentBy(helper.id).size > 0 || helper.id === account.id) throw new RolesConflict(helper)
  }
}
