import type { Address, Hash } from 'viem'
import type { ErrorWire } from '../../base/errors.ts'
import type { EntryPointVersion } from '../entrypoint-version.ts'
import type { GasInBundle } from '../gas.ts'
import type { OperationState } from '../status.ts'
import type { UserOperation } from '../userop.ts'
import type { ValidationFacts } from '../verdict.ts'

/** States that an operation can have while it is in the pool. */
export type PooledState = Extract<OperationState, { kind: 'queued' | 'pending' | 'bundled' | 'submitted' }>

/** An operation in the pool. */
export type PoolEntry = {
  readonly op: UserOperation
  readonly hash: Hash
  readonly facts: ValidationFacts
  /** ms since 1970 */
  readonly receivedAt: number
  readonly state: PooledState
  /** Failed a bundle check this often: from the first on it travels in a bundle of its own, with growing back-off. */
  readonly failures: number
}

/** What a change did to one operation; the caller stores and pushes it. */
export type PoolEffect = { hash: Hash; sender: Address; state: OperationState }

/** Whose turn a nonce is, seen from the pool; `sequence` is the EntryPoint's next one of its key. */
export type NonceTurn =
  /** nothing is known of this key: ask the chain */
  | { kind: 'unknown' }
  /** all earlier sequences are in the pool, or it is the next one on chain */
  | { kind: 'next'; sequence: bigint }
  /** earlier ones are missing */
  | { kind: 'ahead'; sequence: bigint }
  | { kind: 'used'; sequence: bigint }

export type PoolCandidate = {
  op: UserOperation
  hash: Hash
  facts: ValidationFacts
  /** ms since 1970 */
  receivedAt: number
  /** The next sequence of its key on chain. */
  chainSequence: bigint
}

export type SelectOptions = {
  /** s since 1970, of the block that the bundle is for */
  timestamp: number
  /** ms since 1970 */
  now: number
  /** wei; operations that cannot pay it wait */
  baseFee: bigint
  /** wei per gas; operations that bring the bundler less at `baseFee` wait */
  leastPriorityFee: bigint
  gasOf: (op: UserOperation) => GasInBundle
  /** The bundle's operations together. */
  maxGas: bigint
  maxBytes: number
  maxOperations: number
}

/** What was mined, ours or not: every UserOperationEvent of the block for this EntryPoint. */
export type MinedOperation = { hash: Hash; sender: Address; nonce: bigint }

export type ReputationStatus = 'ok' | 'throttled' | 'banned'
export type ReputationView = {
  address: Address
  opsSeen: number
  opsIncluded: number
  status: ReputationStatus
}

/**
 * The mempool of one EntryPoint on one chain: pure state, O(log n) a change, no I/O and no clock of its own.
 * Every change gives back the effects on operations, in order.
 */
export type PoolPort = {
  readonly version: EntryPointVersion
  readonly size: number
  get(hash: Hash): PoolEntry | undefined
  /** The one with this nonce. */
  at(sender: Address, nonce: bigint): PoolEntry | undefined
  entries(): Iterable<PoolEntry>
  /** Whose turn a nonce is. */
  turn(sender: Address, nonce: bigint): NonceTurn
  /**
   * All that can be refused before simulation: replacement fees, reputation and bans, a nonce gap beyond `maxNonceGap`.
   * @throws TandemError of the error table
   */
  precheck(op: UserOperation, now: number): void
  /**
   * Takes an operation in, evicting the lowest fees when full.
   * @throws TandemError of the error table: limits of senders and entities, paymaster deposit, pool full
   */
  admit(candidate: PoolCandidate, now: number): readonly PoolEffect[]
  /** Takes it in whatever the limits say: restored from the store, put back by a reorg, or `debug_bundler_addUserOps`. */
  restore(candidate: PoolCandidate, now: number): readonly PoolEffect[]

  /**
   * The next bundle, best first, nonces of a key in sequence; changes nothing. Empty when nothing can go now. What
   * failed a bundle check is left out.
   */
  select(options: SelectOptions): readonly PoolEntry[]
  /** What failed a bundle check and can go again, in a bundle of its own: the one that pays most. */
  suspect(options: SelectOptions): PoolEntry | undefined
  /** These go into a bundle: select passes them over until `release`. */
  bundle(hashes: readonly Hash[], bundleId: string): readonly PoolEffect[]
  submitted(hashes: readonly Hash[], bundleId: string, transactionHash: Hash): readonly PoolEffect[]
  /** Their bundle will not happen. */
  release(hashes: readonly Hash[]): readonly PoolEffect[]
  /** It failed the bundle check for a reason that may pass: back off, then alone; dropped with `reason` when it failed too often. */
  failed(hash: Hash, reason: ErrorWire, now: number): readonly PoolEffect[]
  /** The entity that `reason` names keeps to the limits of throttled ones until its record is better (EREP-070). */
  throttle(hash: Hash, reason: ErrorWire): void
  /** Takes it out, whatever it is bound to: for the caller who knows that its transaction will not be sent. */
  drop(hash: Hash, reason: ErrorWire): readonly PoolEffect[]
  /** A block was mined. Others with a nonce that is now used up are dropped. Counts reputation. */
  mined(operations: readonly MinedOperation[], inclusion: { blockNumber: number }): readonly PoolEffect[]
  /**
   * A reorg undid these: the next sequence on chain is theirs again, and their reputation counts go back. Those behind
   * them keep their states, so that ours can be restored first; what still has a gap before it is queued by `tick`.
   */
  unmined(operations: readonly MinedOperation[]): void
  /** New facts after validating again. */
  revalidated(hash: Hash, facts: ValidationFacts): void
  /** Time passed: expired, too old, gaps never filled, throttled entities' operations beyond their blocks, hourly decay. */
  tick(options: { now: number; timestamp: number; blockNumber: number }): readonly PoolEffect[]
  clear(): readonly PoolEffect[]

  /** Paymasters with operations here, for refreshing their deposits. */
  paymasters(): readonly Address[]
  /** wei. Operations that it covers no more, cheapest first, are dropped. */
  setDeposit(paymaster: Address, deposit: bigint): readonly PoolEffect[]

  reputation(): readonly ReputationView[]
  setReputation(entries: readonly Omit<ReputationView, 'status'>[]): void
  clearReputation(): void
}
