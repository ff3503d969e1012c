import type { Address, Hash } from 'viem'
import type { Json } from '../../base/errors.ts'
import type { BlockRef, FeeQuote } from '../block.ts'
import type { StakeInfo } from '../entity.ts'
import type { EntryPointVersion } from '../entrypoint-version.ts'
import type { Explanation } from '../explanation.ts'
import type { GasEstimate } from '../gas.ts'
import type { OperationStatus, StateChange } from '../status.ts'
import type { UserOperation } from '../userop.ts'
import type { NodeClient } from './chain.ts'
import type { ReputationView } from './pool.ts'
import type { StateOverrides } from './simulator.ts'
import type { IndexedEvent, RawLog, RawReceipt } from './store.ts'

/** A UserOperation receipt (interface.md), before it is put on the wire. */
export type UserOperationReceipt = {
  event: IndexedEvent
  receipt: RawReceipt
  logs: readonly RawLog[]
  confirmations: number
  reason: string | undefined
}

/** An operation found by hash, with its place on chain once it has one. */
export type FoundOperation = {
  op: UserOperation
  entryPoint: Address
  inclusion: { transactionHash: Hash; block: BlockRef } | undefined
}

/** One element per UserOperationEvent of the range, in chain order; wei per gas. */
export type FeeHistory = { actualGasPrice: bigint[]; maxFeePerGas: bigint[]; maxPriorityFeePerGas: bigint[] }

/** One chain's bundler, as JSON-RPC sees it. Operations are parsed and of a served EntryPoint. */
export type BundlerPort = {
  readonly chainId: number
  /** Served EntryPoints, the preferred one first. */
  readonly versions: readonly EntryPointVersion[]
  /** For calls that are passed through. */
  readonly node: NodeClient
  readonly debug: BundlerDebugPort
  /** What the EntryPoint calls the operation; the node is asked where a delegate is part of it (EIP-7702). @throws Unavailable */
  hash(op: UserOperation): Promise<Hash>
  /** Judged, pooled, committed, and only then acknowledged. The same operation again gives the same hash. */
  send(op: UserOperation): Promise<Hash>
  estimate(op: UserOperation, overrides: StateOverrides | undefined): Promise<GasEstimate>
  find(hash: Hash): Promise<FoundOperation | undefined>
  receipt(hash: Hash): Promise<UserOperationReceipt | undefined>
  status(hash: Hash): Promise<OperationStatus | undefined>
  /** The verdict and all that is behind it, without touching the pool. @throws Unavailable */
  explain(op: UserOperation, overrides: StateOverrides | undefined): Promise<Explanation>
  /** Withdraws a pending operation by a signed no-op of the same sender and nonce; gives the withdrawn hash. */
  drop(op: UserOperation): Promise<Hash>
  gasPrice(): Promise<FeeQuote>
  feeHistory(
    version: EntryPointVersion,
    blockCount: number,
    newestBlock: number | string,
  ): Promise<FeeHistory>
  /** `bundler_config` of interface.md. */
  config(): Json
  /** Called with every state change until the returned function is. */
  subscribe(listener: (change: StateChange) => void): () => void
}

/** `debug_bundler_*` (ERC-7769); reachable only with `--testing`. */
export type BundlerDebugPort = {
  clearMempool(): Promise<void>
  clearReputation(): Promise<void>
  dumpMempool(version: EntryPointVersion): readonly UserOperation[]
  /** The mined transaction, after its events are applied; `undefined` when there was nothing to send. */
  sendBundleNow(): Promise<Hash | undefined>
  setBundlingMode(mode: 'manual' | 'auto'): void
  /** ms */
  setBundleInterval(interval: number): void
  setReputation(version: EntryPointVersion, entries: readonly Omit<ReputationView, 'status'>[]): void
  dumpReputation(version: EntryPointVersion): readonly ReputationView[]
  /** Into the pool without validation. */
  addUserOps(ops: readonly UserOperation[]): Promise<void>
  stakeStatus(version: EntryPointVersion, address: Address): Promise<StakeInfo & { isStaked: boolean }>
}

/** What is missing before a chain can serve; nothing when it is ready. */
export type Readiness = { ready: boolean; missing: readonly string[] }
