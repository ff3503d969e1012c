import { isNotNull } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Hex } from 'viem'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Scope } from '../../types/paymaster/tenant.ts'
import { address, hash, uint256 } from '../columns.ts'
import type { StoredClaims, StoredPolicy, StoredSettlement } from './stored.ts'

/** All times in ms since 1970 unless a field says otherwise. */

export const tenants = sqliteTable('tenants', {
  id: text().primaryKey(),
  name: text().notNull(),
  walletAddress: address('wallet_address').notNull(),
  encryptedKey: text('encrypted_key').$type<Hex>().notNull(),
  createdAt: integer('created_at').notNull(),
})

/** Keys by their hash; the text is nowhere. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text().primaryKey(),
    tenantId: text('tenant_id').notNull(),
    hash: hash().notNull().unique(),
    hint: text().notNull(),
    scopes: text({ mode: 'json' }).$type<readonly Scope[]>().notNull(),
    creditsPerMonth: integer('credits_per_month'),
    creditsPerSecond: integer('credits_per_second'),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
  },
  (table) => [index('api_keys_tenant').on(table.tenantId)],
)

/** The one with the highest id stays although it is deleted, so that no id means two policies. */
export const policies = sqliteTable(
  'policies',
  {
    id: integer().primaryKey(),
    policy: text({ mode: 'json' }).$type<StoredPolicy>().notNull(),
    deletedAt: integer('deleted_at'),
  },
  (table) => [index('policies_deleted').on(table.deletedAt).where(isNotNull(table.deletedAt))],
)

/** `policyId` 0: the tenant's list outside of policies. */
export const whitelist = sqliteTable(
  'whitelist',
  {
    tenantId: text('tenant_id').notNull(),
    policyId: integer('policy_id').notNull(),
    address: address().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.policyId, table.address] })],
)

/** Verifying paymasters of tenants. */
export const deployments = sqliteTable(
  'deployments',
  {
    tenantId: text('tenant_id').notNull(),
    chainId: integer('chain_id').notNull(),
    version: text().$type<EntryPointVersion>().notNull(),
    address: address().notNull(),
    transactionHash: hash('transaction_hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.chainId, table.version] })],
)

/** What was signed for and may still be paid, or was paid and may still be undone. */
export const sponsorships = sqliteTable(
  'sponsorships',
  {
    chainId: integer('chain_id').notNull(),
    paymaster: address().notNull(),
    sender: address().notNull(),
    nonce: uint256().notNull(),
    claims: text({ mode: 'json' }).$type<StoredClaims>().notNull(),
    settled: text({ mode: 'json' }).$type<StoredSettlement>(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.paymaster, table.sender, table.nonce] })],
)

/** What was paid for good. */
export const policyTotals = sqliteTable(
  'policy_totals',
  {
    policyId: integer('policy_id').notNull(),
    sender: address().notNull(),
    usd: uint256().notNull(),
    native: uint256().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.policyId, table.sender] })],
)

/** The block of each chain up to which payments are in `sponsorships`. */
export const ledgerPositions = sqliteTable('ledger_positions', {
  chainId: integer('chain_id').primaryKey(),
  number: integer().notNull(),
  hash: hash().notNull(),
})

/** Credits that a key has spent in a month. */
export const credits = sqliteTable(
  'credits',
  {
    keyId: text('key_id').notNull(),
    /** `2026-11`, UTC */
    month: text().notNull(),
    spent: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.month] })],
)

export const audit = sqliteTable(
  'audit',
  {
    id: integer().primaryKey(),
    at: integer().notNull(),
    tenantId: text('tenant_id'),
    keyId: text('key_id'),
    action: text().notNull(),
    subject: text().notNull(),
  },
  (table) => [index('audit_tenant').on(table.tenantId), index('audit_at').on(table.at)],
)

/** Senders that left an operation unpaid, in the order in which they did. */
export const debtors = sqliteTable(
  'debtors',
  {
    id: integer().primaryKey(),
    chainId: integer('chain_id').notNull(),
    sender: address().notNull(),
  },
  (table) => [uniqueIndex('debtors_sender').on(table.chainId, table.sender)],
)
