import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Hash, Hex } from 'viem'
import type { Json } from '../base/errors.ts'
import type { OperationRecord, RawReceipt } from '../types/ports/store.ts'
import type { Conditions, JournaledTransaction } from '../types/ports/submitter.ts'
import type { OperationState, OperationStateKind } from '../types/status.ts'
import type { ValidationLevel } from '../types/verdict.ts'
import { address, hash, uint256 } from './columns.ts'

/**
 * The states of `isFinal` that are not final. Written out in the SQL, because SQLite uses a partial index
 * only for a query that repeats its condition word for word.
 */
export const isOpen = sql.raw(`"state" in ('queued', 'pending', 'bundled', 'submitted')`)
/** The others. */
export const isEnded = sql.raw(`"state" in ('included', 'dropped', 'expired', 'replaced')`)
/** Same for bundles. */
export const isUnsettled = sql.raw(`"settled" = 0`)

/** Facts about the database itself; the runner of the migrations keeps `schema_version` here. */
export const meta = sqliteTable('meta', {
  key: text().primaryKey(),
  value: text().notNull(),
})

/** Every operation that was acknowledged. */
export const operations = sqliteTable(
  'operations',
  {
    chainId: integer('chain_id').notNull(),
    hash: hash().notNull(),
    entryPoint: address('entry_point').notNull(),
    /** As on the wire: `formatUserOperation`. */
    operation: text({ mode: 'json' }).$type<{ [field: string]: Json }>().notNull(),
    validationLevel: text('validation_level').$type<ValidationLevel>(),
    /** ms since 1970, as all times here */
    receivedAt: integer('received_at').notNull(),
    /** The kind of `stateDetail`, to query by. */
    state: text().$type<OperationStateKind>().notNull(),
    stateDetail: text('state_detail', { mode: 'json' }).$type<OperationState>().notNull(),
    timestamps: text({ mode: 'json' }).$type<OperationRecord['timestamps']>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.hash] }),
    index('operations_open').on(table.chainId, table.receivedAt).where(isOpen),
    index('operations_ended').on(table.receivedAt).where(isEnded),
  ],
)

/** The journal: what was given to a nonce of a relayer. */
export const bundles = sqliteTable(
  'bundles',
  {
    chainId: integer('chain_id').notNull(),
    bundleId: text('bundle_id').notNull(),
    operations: text({ mode: 'json' }).$type<readonly Hash[]>().notNull(),
    settled: integer({ mode: 'boolean' }).notNull(),
    maxFeeCeiling: uint256('max_fee_ceiling'),
    priorityFeeCeiling: uint256('priority_fee_ceiling'),
    conditions: text({ mode: 'json' }).$type<Conditions>(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.bundleId] }),
    index('bundles_unsettled').on(table.chainId).where(isUnsettled),
  ],
)

/** Every version that was signed for a bundle's nonce. */
export const bundleTransactions = sqliteTable(
  'bundle_transactions',
  {
    chainId: integer('chain_id').notNull(),
    hash: hash().notNull(),
    bundleId: text('bundle_id').notNull(),
    relayer: address().notNull(),
    nonce: integer().notNull(),
    raw: text().$type<Hex>().notNull(),
    maxFeePerGas: uint256('max_fee_per_gas').notNull(),
    maxPriorityFeePerGas: uint256('max_priority_fee_per_gas').notNull(),
    kind: text().$type<JournaledTransaction['kind']>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.hash] }),
    index('bundle_transactions_bundle').on(table.chainId, table.bundleId),
  ],
)

/** The end of the canonical chain as far as it was read. */
export const indexedBlocks = sqliteTable(
  'indexed_blocks',
  {
    chainId: integer('chain_id').notNull(),
    number: integer().notNull(),
    hash: hash().notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.number] })],
)

/** When the index had reached a block, noted now and then: what came before it is at least that old. */
export const blockTimes = sqliteTable(
  'block_times',
  {
    chainId: integer('chain_id').notNull(),
    number: integer().notNull(),
    /** ms since 1970 */
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.number] })],
)

/** UserOperationEvents of canonical blocks; the primary key is the order of the chain. */
export const events = sqliteTable(
  'events',
  {
    chainId: integer('chain_id').notNull(),
    blockNumber: integer('block_number').notNull(),
    logIndex: integer('log_index').notNull(),
    blockHash: hash('block_hash').notNull(),
    entryPoint: address('entry_point').notNull(),
    /** Of the operation. */
    hash: hash().notNull(),
    sender: address().notNull(),
    paymaster: address(),
    nonce: uint256().notNull(),
    success: integer({ mode: 'boolean' }).notNull(),
    actualGasCost: uint256('actual_gas_cost').notNull(),
    actualGasUsed: uint256('actual_gas_used').notNull(),
    transactionHash: hash('transaction_hash').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.blockNumber, table.logIndex] }),
    index('events_operation').on(table.chainId, table.hash, table.blockNumber),
  ],
)

/** Receipts of transactions with our operations. */
export const receipts = sqliteTable(
  'receipts',
  {
    chainId: integer('chain_id').notNull(),
    transactionHash: hash('transaction_hash').notNull(),
    blockNumber: integer('block_number').notNull(),
    blockHash: hash('block_hash').notNull(),
    receipt: text({ mode: 'json' }).$type<RawReceipt>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.transactionHash] }),
    index('receipts_block').on(table.chainId, table.blockNumber),
  ],
)

export const reputation = sqliteTable(
  'reputation',
  {
    chainId: integer('chain_id').notNull(),
    entryPoint: address('entry_point').notNull(),
    address: address().notNull(),
    opsSeen: integer('ops_seen').notNull(),
    opsIncluded: integer('ops_included').notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.entryPoint, table.address] })],
)
