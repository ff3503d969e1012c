import type { Hash } from 'viem'
import type { ErrorWire } from '../base/errors.ts'
import type { Held } from './held.ts'
import type { Participant } from './participant.ts'
import { retryAfterMs } from './retry.ts'

/** Why operations leave the pool: stored, pushed to subscribers, shown in their status. */

export const evicted: ErrorWire = {
  code: -32005,
  message: 'evicted: pool full of operations that pay more',
  data: { retryAfterMs, hint: 'send it again with higher fees' },
}

export const nonceGap: ErrorWire = {
  code: -32602,
  message: 'nonce gap',
  data: { hint: 'an operation with an earlier nonce is missing' },
}

export const cleared: ErrorWire = { code: -32000, message: 'the mempool was cleared' }

export const tooOld = (maxPoolAge: number): ErrorWire => ({
  code: -32005,
  message: `not included within ${maxPoolAge} s`,
  data: { retryAfterMs, hint: 'send it again, perhaps with higher fees' },
})

/** `by` is the operation that was mined with this nonce, if it is known. */
export const nonceUsed = (held: Held, by: Hash | undefined): ErrorWire => ({
  code: -32500,
  message: 'nonce was used by another operation',
  data: { aaCode: 'AA25', entity: 'account', address: held.op.sender, operation: by },
})

export function expired({ facts, op }: Held['entry']): ErrorWire {
  const { validUntil, validAfter } = facts
  return {
    code: -32503,
    message: 'expired before it was included',
    data: { validUntil: validUntil ?? null, validAfter: validAfter ?? null, paymaster: op.paymaster },
  }
}

export const uncovered = ({ op }: Held): ErrorWire => ({
  code: -32508,
  message: `deposit of paymaster ${op.paymaster} cannot cover all its pending operations any more`,
  data: { entity: 'paymaster', address: op.paymaster, paymaster: op.paymaster },
})

export const refusedEntity = ({ kind, address }: Participant, status: 'throttled' | 'banned'): ErrorWire => ({
  code: -32504,
  message: `${kind} ${address} is ${status}`,
  data: { entity: kind, address },
})
