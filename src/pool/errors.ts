import { numberToHex } from 'viem'
import { type ErrorData, LimitExceeded, TandemError } from '../base/errors.ts'
import type { Entity, StakeRequirement } from '../types/entity.ts'

/** What a caller is told to wait when only a block can change things, in ms. */
const aBlock = 2_000

/** -32602: the same sender and nonce waits with fees that this one does not outbid. */
export class ReplacementUnderpriced extends TandemError {
  override readonly name = 'ReplacementUnderpriced'
  constructor(needed: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }) {
    super(-32602, 'replacement underpriced', {
      path: 'params[0].maxFeePerGas',
      maxFeePerGas: numberToHex(needed.maxFeePerGas),
      maxPriorityFeePerGas: numberToHex(needed.maxPriorityFeePerGas),
      hint: 'an operation with this sender and nonce is pending: raise both fees to at least these',
    })
  }
}

/** -32602: the same sender and nonce is on its way into a block already. */
export class AlreadySubmitted extends TandemError {
  override readonly name = 'AlreadySubmitted'
  constructor() {
    super(-32602, 'an operation with this sender and nonce is already being mined', {
      path: 'params[0].nonce',
      hint: 'it cannot be replaced any more: wait for its receipt',
    })
  }
}

/** -32602: too far ahead of its turn. */
export class NonceGapTooWide extends TandemError {
  override readonly name = 'NonceGapTooWide'
  constructor(next: bigint, furthest: bigint) {
    super(-32602, 'nonce is too far ahead', {
      path: 'params[0].nonce',
      nextNonce: numberToHex(next),
      furthestNonce: numberToHex(furthest),
      hint: 'send the operations with the earlier nonces first',
    })
  }
}

/** -32502 (STO-040, STO-041): an address that is a sender here may not be another's factory or paymaster. */
export class RolesConflict extends TandemError {
  override readonly name = 'RolesConflict'
  constructor(rule: 'STO-040' | 'STO-041', { kind, address }: Entity) {
    super(-32502, `${kind} ${address} has another role in the mempool`, { rule, entity: kind, address })
  }
}

/** -32504 */
export class EntityBanned extends TandemError {
  override readonly name = 'EntityBanned'
  constructor({ kind, address }: Entity) {
    super(-32504, `${kind} ${address} is banned`, {
      entity: kind,
      address,
      hint: 'too few of its operations were included; its reputation recovers by the hour',
    })
  }
}

/** -32504: a throttled entity has as many operations here as it may. */
export class EntityThrottled extends TandemError {
  override readonly name = 'EntityThrottled'
  constructor({ kind, address }: Entity) {
    super(-32504, `${kind} ${address} is throttled`, { entity: kind, address, retryAfterMs: aBlock })
  }
}

/** -32505: what was asked for is for staked entities only. */
export class StakeTooLow extends TandemError {
  override readonly name = 'StakeTooLow'
  constructor({ kind, address }: Entity, required: StakeRequirement, message: string) {
    super(-32505, message, {
      entity: kind,
      address,
      minimumStake: numberToHex(required.minStake),
      minimumUnstakeDelay: numberToHex(required.minUnstakeDelay),
    })
  }
}

/** -32508 */
export class DepositTooLow extends TandemError {
  override readonly name = 'DepositTooLow'
  constructor(paymaster: Entity['address'], details: ErrorData) {
    super(-32508, `paymaster ${paymaster} cannot pay for all of its pending operations`, {
      paymaster,
      ...details,
    })
  }
}

/** -32005: an unstaked factory or paymaster has as many operations here as its reputation allows. */
export class TooManyOfEntity extends LimitExceeded {
  constructor({ kind, address }: Entity, allowed: number) {
    super(`${kind} ${address} has too many operations in the mempool`, {
      entity: kind,
      address,
      allowed,
      retryAfterMs: aBlock,
      hint: 'staking it lifts the limit',
    })
  }
}

/** -32005: full of operations that pay more. */
export class PoolFull extends LimitExceeded {
  constructor() {
    super('the mempool is full', { retryAfterMs: aBlock, hint: 'a higher maxPriorityFeePerGas makes room' })
  }
}
