import type { Address } from 'viem'
import type { Entity } from '../types/entity.ts'
import type { PoolEntry } from '../types/ports/pool.ts'
import { factoryOf, paymasterOf, type UserOperation } from '../types/userop.ts'

/** An entry as the pool keeps it: the public view is the same object, read-only. */
export type Entry = { -readonly [Field in keyof PoolEntry]: PoolEntry[Field] } & {
  /** wei; what the payer may have to pay */
  readonly cost: bigint
  /** Order of arrival: breaks every tie, so that all orders are total. */
  readonly arrival: number
  /** ms since 1970; not selected before, after it failed a bundle check */
  retryAt: number
  /** ms since 1970; when it began to wait for an earlier nonce */
  queuedAt: number
  /** Of a throttled entity: dropped after this block. */
  lastBlock: number | undefined
}

/** Waiting for a bundle, or for an earlier nonce: may be replaced, evicted, dropped. */
export const isWaiting = (entry: Entry): boolean =>
  entry.state.kind === 'pending' || entry.state.kind === 'queued'

/** Bound to a transaction that may be mined. */
export const isInFlight = (entry: Entry): boolean => !isWaiting(entry)

/** Who takes part in an operation besides the account. */
export function helpersOf(op: UserOperation): Entity[] {
  const factory = factoryOf(op)
  const paymaster = paymasterOf(op)
  return [
    ...(factory === undefined ? [] : [{ kind: 'factory' as const, address: factory }]),
    ...(paymaster === undefined ? [] : [{ kind: 'paymaster' as const, address: paymaster }]),
  ]
}

export function entitiesOf(op: UserOperation): Entity[] {
  return [{ kind: 'account', address: op.sender }, ...helpersOf(op)]
}

/** The key of a line of nonces: each sender has one for each 192-bit nonce key. */
export type LineKey = `${Address}:${bigint}`
