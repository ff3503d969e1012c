import type { Address } from 'viem'
import type { Entity } from '../types/entity.ts'
import { isStaked, type StakeInfo } from '../types/entity.ts'
import type { UserOperation } from '../types/userop.ts'
import type { ValidationFacts } from '../types/verdict.ts'
import { type Entry, entitiesOf, helpersOf } from './entry.ts'
import { EntityBanned, EntityThrottled, RolesConflict, StakeTooLow, TooManyOfEntity } from './errors.ts'
import type { Reputation } from './reputation.ts'
import type { PoolSettings } from './settings.ts'

/** ERC-7562, SAME_SENDER_MEMPOOL_COUNT */
const unstakedSenderCount = 4
/** ERC-7562, THROTTLED_ENTITY_MEMPOOL_COUNT */
const throttledCount = 4

type Role = 'sender' | 'helper'

/** How many operations each address has in the pool, as sender and as factory or paymaster, and the rules on it. */
export class Limits {
  readonly #counts: Record<Role, Map<Address, number>> = { sender: new Map(), helper: new Map() }

  constructor(
    readonly settings: PoolSettings,
    readonly reputation: Reputation,
  ) {}

  add(op: UserOperation): void {
    this.#change(op, 1)
  }

  remove(op: UserOperation): void {
    this.#change(op, -1)
  }

  /** What is refused whatever validation says. @throws EntityBanned, RolesConflict */
  requireWelcome(op: UserOperation): void {
    for (const entity of entitiesOf(op)) {
      if (this.reputation.status(entity.kind, entity.address) === 'banned') throw new EntityBanned(entity)
    }
    const sender: Entity = { kind: 'account', address: op.sender }
    if (this.#count('helper', op.sender) > 0) throw new RolesConflict('STO-040', sender)
    for (const helper of helpersOf(op)) {
      if (this.#count('sender', helper.address) > 0) throw new RolesConflict('STO-041', helper)
    }
  }

  /**
   * The limits on numbers (UREP-010, UREP-020, EREP-020, GREP). `replaced` leaves as `op` comes.
   * @throws StakeTooLow, EntityThrottled, TooManyOfEntity
   */
  requireRoom(op: UserOperation, facts: ValidationFacts, replaced: Entry | undefined): void {
    const sender: Entity = { kind: 'account', address: op.sender }
    const ofSender = this.#count('sender', op.sender) - (replaced === undefined ? 0 : 1)
    if (!this.isTrusted(sender, facts.sender) && ofSender >= unstakedSenderCount) {
      const message = `an unstaked sender may have ${unstakedSenderCount} operations in the mempool`
      throw new StakeTooLow(sender, this.settings, message)
    }
    this.#requireThrottledRoom(sender, ofSender)
    const leaving = new Set(
      replaced === undefined ? [] : helpersOf(replaced.op).map(({ address }) => address),
    )
    for (const helper of helpersOf(op)) {
      const present = this.#count('helper', helper.address) - (leaving.has(helper.address) ? 1 : 0)
      this.#requireThrottledRoom(helper, present)
      if (this.isTrusted(helper, helper.kind === 'factory' ? facts.factory : facts.paymaster)) continue
      const allowed = this.reputation.allowance(helper.address)
      if (present >= allowed) throw new TooManyOfEntity(helper, allowed)
    }
  }

  /** Staked, or vouched for by the operator. */
  isTrusted({ kind, address }: Entity, stake: StakeInfo | undefined): boolean {
    return (
      this.reputation.isWhitelisted(kind, address) || (stake !== undefined && isStaked(stake, this.settings))
    )
  }

  throttledEntities(op: UserOperation): Entity[] {
    return entitiesOf(op).filter(({ kind, address }) => this.reputation.status(kind, address) === 'throttled')
  }

  #requireThrottledRoom(entity: Entity, present: number): void {
    const throttled = this.reputation.status(entity.kind, entity.address) === 'throttled'
    if (throttled && present >= throttledCount) throw new EntityThrottled(entity)
  }

  #count(role: Role, address: Address): number {
    return this.#counts[role].get(address) ?? 0
  }

  #change(op: UserOperation, by: 1 | -1): void {
    this.#store('sender', op.sender, by)
    for (const { address } of helpersOf(op)) this.#store('helper', address, by)
  }

  #store(role: Role, address: Address, by: 1 | -1): void {
    const count = this.#count(role, address) + by
    if (count === 0) this.#counts[role].delete(address)
    else this.#counts[role].set(address, count)
  }
}
