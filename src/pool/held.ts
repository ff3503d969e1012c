import type { PoolCandidate, PoolEntry } from '../types/ports/pool.ts'
import { nonceKey, nonceSequence, type UserOperation } from '../types/userop.ts'
import { operationBytes, requiredPrefund } from '../types/userop-cost.ts'
import { type AddressId, accountIn, associatedIn, helpersIn, idOf, type Participant } from './participant.ts'

/** An operation as the pool keeps it. `entry` is what others see: a new one with every change. */
export type Held = {
  entry: PoolEntry
  readonly op: UserOperation
  readonly lane: LaneKey
  readonly sequence: bigint
  readonly account: Participant
  readonly helpers: readonly Participant[]
  /** Contracts in which it uses storage associated with its account or entities (STO-041). */
  readonly associated: readonly AddressId[]
  readonly bytes: number
  /** wei that its payer may have to pay */
  readonly cost: bigint
  /** Order of arrival: breaks every tie. */
  readonly arrival: number
  /** The newest block when it came. */
  readonly block: number
  /** ms since 1970; when it began to wait for an earlier nonce */
  queuedAt: number
  /** ms since 1970; after a failed bundle check it goes nowhere before */
  retryAt: number
}

/** Each sender and 192-bit nonce key is a lane of its own. */
export type LaneKey = `${string}:${bigint}`
export const laneOf = ({ sender, nonce }: Pick<UserOperation, 'sender' | 'nonce'>): LaneKey =>
  `${idOf(sender)}:${nonceKey(nonce)}`

/** @param now ms since 1970 */
export function hold(
  { op, hash, facts, receivedAt }: PoolCandidate,
  { arrival, block, now }: { arrival: number; block: number; now: number },
): Held {
  return {
    entry: { op, hash, facts, receivedAt, state: { kind: 'queued' }, failures: 0 },
    op,
    lane: laneOf(op),
    sequence: nonceSequence(op.nonce),
    account: accountIn(op),
    helpers: helpersIn(op),
    associated: associatedIn(facts),
    bytes: operationBytes(op),
    cost: requiredPrefund(op),
    arrival,
    block,
    queuedAt: now,
    retryAt: 0,
  }
}

/** Bound to a bundle, and so perhaps to a transaction: nothing but the chain or its bundle may end it. */
export function isInFlight({ entry }: Held): boolean {
  switch (entry.state.kind) {
    case 'queued':
    case 'pending':
      return false
    case 'bundled':
    case 'submitted':
      return true
  }
}
