import type { Address, Hash, Hex } from 'viem'
import type { Json } from '../../base/errors.ts'
import type { BlockRef } from '../block.ts'
import type { OperationState, OperationStateKind, StateChange } from '../status.ts'
import type { UserOperation } from '../userop.ts'
import type { ValidationLevel } from '../verdict.ts'
import type { BundleTerms, JournaledTransaction, OpenBundle } from './submitter.ts'

/** An acknowledged operation as it is kept. */
export type OperationRecord = {
  chainId: number
  entryPoint: Address
  hash: Hash
  op: UserOperation
  validationLevel: ValidationLevel | undefined
  /** ms since 1970 */
  receivedAt: number
  state: OperationState
  timestamps: Partial<Record<OperationStateKind | 'received', number>>
}

/** A UserOperationEvent of a canonical block, ours or a stranger's. */
export type IndexedEvent = {
  chainId: number
  entryPoint: Address
  hash: Hash
  sender: Address
  paymaster: Address | undefined
  nonce: bigint
  success: boolean
  actualGasCost: bigint
  actualGasUsed: bigint
  transactionHash: Hash
  block: BlockRef
  logIndex: number
}

/** A transaction receipt as the node gave it (hex quantities), with all of its logs. */
export type RawReceipt = {
  transactionHash: Hash
  blockHash: Hash
  blockNumber: Hex
  logs: readonly RawLog[]
} & {
  readonly [field: string]: Json | undefined | readonly RawLog[]
}
export type RawLog = { address: Address; topics: readonly Hex[]; data: Hex; logIndex: Hex } & {
  readonly [field: string]: Json
}

/** What one canonical block brought; written in one commit with the new end of the index. */
export type IndexedBlock = {
  chainId: number
  block: BlockRef
  events: readonly IndexedEvent[]
  receipts: readonly RawReceipt[]
}

export type ReputationRecord = {
  chainId: number
  entryPoint: Address
  address: Address
  opsSeen: number
  opsIncluded: number
}

/** What one pass over the history has forgotten, and how large the database is by now. */
export type Pruned = {
  rows: Readonly<
    Record<'operations' | 'events' | 'receipts' | 'bundles' | 'audit' | 'deletedPolicies', number>
  >
  bytes: number
  /** Those that hold something; the rest is written again before the database grows. */
  usedBytes: number
}

/** The only owner of the database. Every write resolves after its commit (synchronous=FULL), grouped with others. */
export type StorePort = {
  addOperation(record: OperationRecord): Promise<void>
  /** Unknown hashes are ignored. */
  changeStates(changes: readonly StateChange[]): Promise<void>
  operation(argument: { chainId: number; hash: Hash }): Promise<OperationRecord | undefined>
  /** Operations whose state is not final. */
  openOperations(argument: { chainId: number }): Promise<readonly OperationRecord[]>

  journal(argument: BundleTerms & { transaction: JournaledTransaction }): Promise<void>
  settleBundle(argument: { chainId: number; bundleId: string }): Promise<void>
  openBundles(argument: { chainId: number }): Promise<readonly OpenBundle[]>
  /** What was signed for top-ups since then (ms since 1970), settled or not. */
  fundings(argument: { chainId: number; since: number }): Promise<readonly JournaledTransaction[]>

  indexBlock(block: IndexedBlock): Promise<void>
  /** Forgets the events and receipts of blocks that a reorg removed. */
  removeBlocks(argument: { chainId: number; blocks: readonly BlockRef[] }): Promise<void>
  /** The newest indexed blocks, newest first. */
  indexedBlocks(argument: { chainId: number; limit: number }): Promise<readonly BlockRef[]>
  event(argument: { chainId: number; hash: Hash }): Promise<IndexedEvent | undefined>
  receipt(argument: { chainId: number; transactionHash: Hash }): Promise<RawReceipt | undefined>
  /** In chain order. */
  eventsBetween(argument: {
    chainId: number
    entryPoint: Address
    from: number
    to: number
  }): Promise<readonly IndexedEvent[]>

  /** Replaces all that is kept for the chain. */
  saveReputation(argument: { chainId: number; records: readonly ReputationRecord[] }): Promise<void>
  reputation(argument: { chainId: number }): Promise<readonly ReputationRecord[]>

  /**
   * Forgets history that is too old or too much, for a few seconds at most; never what is open or what a reorg may
   * undo. @param argument.now ms since 1970
   */
  prune(argument: { now: number }): Promise<Pruned>

  /** Resolves when the database answers; for readiness. */
  ping(argument: undefined): Promise<void>
  /** Flushes and closes. */
  close(argument: undefined): Promise<void>
}
