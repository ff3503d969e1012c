import { setImmediate as messagesHandled } from 'node:timers/promises'
import type { Client } from '@libsql/client'
import { and, eq, lt, lte, max, min, sql } from 'drizzle-orm'
import { fundingIds, fundingPeriod } from '../types/funding.ts'
import type { Pruned, StorePort } from '../types/ports/store.ts'
import type { Database } from './database.ts'
import { audit, policies, policyTotals, whitelist } from './paymaster/tables.ts'
import {
  blockTimes,
  bundles,
  bundleTransactions,
  events,
  indexedBlocks,
  isEnded,
  operations,
  receipts,
} from './schema.ts'
import { type Size, sizeOf } from './size.ts'

export type RetentionOptions = {
  /** ms that history is kept */
  age: number
  /** ms that the audit log is kept, whatever the size */
  auditAge: number
  /** bytes that the database may fill; beyond it the oldest goes first, however young */
  size: number
  /** Blocks below the newest one that a reorg may still remove: nothing of theirs goes. */
  reorgDepth: number
}

/** Rows that one write deletes: a few ms, so that what is written meanwhile does not wait. */
const batchRows = 256

/** ms; what it did not get to is left to the next pass. */
const longestPass = 5_000

/** Bundles that are looked at for one write; those that are not settled, or too young, are among the newest. */
const bundlesLookedAt = 2 * batchRows

/** Moments between the oldest row and now at which a database that is too large is looked at again. */
const sizeSteps = 8

/** Pages that one step gives back to the file system: 1 MiB. */
const vacuumPages = 256
/** Share of a file, and bytes, that may lie idle: they are soon written again. */
const idleShare = 1 / 16
const idleBytes = 2 ** 20

/** The limit of a day counts them. */
const isFunding = sql`${bundles.bundleId} >= ${fundingIds.first} and ${bundles.bundleId} < ${fundingIds.end}`

type Chain = { chainId: number; newest: number }
type Modules = {
  client: Client
  database: Database
  /** Ends what is under way between two writes. */
  signal: AbortSignal
}

/** Forgets what ended long ago: final operations, the index, settled bundles, the audit log, deleted policies. */
export function createRetention(options: RetentionOptions, modules: Modules): StorePort['prune'] {
  return ({ now }) => prune({ ...options, now }, modules)
}

async function prune(
  options: RetentionOptions & { now: number },
  { client, database: { query, write, read }, signal }: Modules,
): Promise<Pruned> {
  const { now } = options
  const rows = { operations: 0, events: 0, receipts: 0, bundles: 0, audit: 0, deletedPolicies: 0 }
  const end = performance.now() + longestPass

  await noteTimes()
  await pruneAudit()
  await pruneDeletedPolicies()
  await pruneBefore(now - options.age)
  const oldest = await oldestKept()
  for (let step = 1; step <= sizeSteps && oldest !== undefined && isGoingOn(); step++) {
    const { usedBytes } = await read(() => sizeOf(client))
    if (usedBytes <= options.size) break
    await pruneBefore(oldest + ((now - oldest) * step) / sizeSteps)
  }
  const size = client.protocol === 'file' ? await giveBackSpace() : await read(() => sizeOf(client))
  return { rows, ...size }

  function isGoingOn(): boolean {
    return !signal.aborted && performance.now() < end
  }

  function chains(): Promise<Chain[]> {
    const newest = sql<number>`max(${indexedBlocks.number})`
    return read(() =>
      query
        .select({ chainId: indexedBlocks.chainId, newest })
        .from(indexedBlocks)
        .groupBy(indexedBlocks.chainId)
        .all(),
    )
  }

  async function noteTimes(): Promise<void> {
    const found = await chains()
    await write(
      found.map(({ chainId, newest }) =>
        query.insert(blockTimes).values({ chainId, number: newest, at: now }).onConflictDoNothing(),
      ),
    )
  }

  /** ms since 1970 */
  async function oldestKept(): Promise<number | undefined> {
    const [block, operation] = await read(() =>
      Promise.all([
        query
          .select({ at: min(blockTimes.at) })
          .from(blockTimes)
          .get(),
        query
          .select({ at: min(operations.receivedAt) })
          .from(operations)
          .where(isEnded)
          .get(),
      ]),
    )
    const times = [block?.at, operation?.at].filter((at) => typeof at === 'number')
    return times.length === 0 ? undefined : Math.min(...times)
  }

  async function pruneBefore(moment: number): Promise<void> {
    for (const chain of await chains()) await pruneBlocks(chain, moment)
    // An operation that a reorg may bring back still has its event.
    await inBatches('operations', [
      query.delete(operations).where(
        sql`rowid in (select rowid from ${operations} where ${isEnded} and ${operations.receivedAt} < ${moment}
          and not exists (select 1 from ${events} where ${events.chainId} = ${operations.chainId} and ${events.hash} = ${operations.hash})
          order by ${operations.receivedAt} limit ${batchRows})`,
      ),
    ])
    const settledBefore = sql`select ${bundles.chainId}, ${bundles.bundleId}
      from (select * from ${bundles} order by rowid limit ${bundlesLookedAt}) as ${bundles}
      where ${bundles.settled} = 1 and not exists (
        select 1 from ${bundleTransactions} where ${bundleTransactions.chainId} = ${bundles.chainId}
        and ${bundleTransactions.bundleId} = ${bundles.bundleId} and (${bundleTransactions.createdAt} >= ${moment}
          or ${isFunding} and ${bundleTransactions.createdAt} >= ${now - fundingPeriod}))
      limit ${batchRows}`
    await inBatches('bundles', [
      query
        .delete(bundleTransactions)
        .where(sql`(${bundleTransactions.chainId}, ${bundleTransactions.bundleId}) in (${settledBefore})`),
      query.delete(bundles).where(sql`(${bundles.chainId}, ${bundles.bundleId}) in (${settledBefore})`),
    ])
  }

  async function pruneAudit(): Promise<void> {
    const old = sql`select ${audit.id} from ${audit} where ${audit.at} < ${now - options.auditAge} limit ${batchRows}`
    await inBatches('audit', [query.delete(audit).where(sql`${audit.id} in (${old})`)])
  }

  /** What was spent under its id, who was on its list, and the policy itself; but for the highest id that was ever given. */
  async function pruneDeletedPolicies(): Promise<void> {
    const isOld = sql`${policies.deletedAt} < ${now - options.age}`
    const ids = sql`select ${policies.id} from ${policies} where ${isOld}`
    const places = sql`select ${policies.policy} ->> 'tenantId', ${policies.id} from ${policies} where ${isOld}`
    const ofList = sql`select rowid from ${whitelist}
      where (${whitelist.tenantId}, ${whitelist.policyId}) in (${places}) limit ${batchRows}`
    const ofTotals = sql`select rowid from ${policyTotals} where ${policyTotals.policyId} in (${ids}) limit ${batchRows}`
    await inBatches('deletedPolicies', [query.delete(whitelist).where(sql`rowid in (${ofList})`)])
    await inBatches('deletedPolicies', [query.delete(policyTotals).where(sql`rowid in (${ofTotals})`)])
    if (!isGoingOn()) return
    const last = sql`select max(${policies.id}) from ${policies}`
    const old = sql`select ${policies.id} from ${policies} where ${isOld} and ${policies.id} < (${last}) limit ${batchRows}`
    await inBatches('deletedPolicies', [query.delete(policies).where(sql`${policies.id} in (${old})`)])
  }

  /** What the index had reached by `moment`. Readers first learn that the blocks are not indexed any more. */
  async function pruneBlocks({ chainId, newest }: Chain, moment: number): Promise<void> {
    const reached = await read(() =>
      query
        .select({ number: max(blockTimes.number) })
        .from(blockTimes)
        .where(and(eq(blockTimes.chainId, chainId), lte(blockTimes.at, moment)))
        .get(),
    )
    if (typeof reached?.number !== 'number') return
    const last = Math.min(reached.number, newest - options.reorgDepth)
    await write([
      query
        .delete(indexedBlocks)
        .where(and(eq(indexedBlocks.chainId, chainId), lte(indexedBlocks.number, last))),
      query.delete(blockTimes).where(and(eq(blockTimes.chainId, chainId), lt(blockTimes.number, last))),
    ])
    for (const [name, table] of [
      ['events', events],
      ['receipts', receipts],
    ] as const) {
      await inBatches(name, [
        query.delete(table).where(
          sql`rowid in (select rowid from ${table} where ${table.chainId} = ${chainId}
            and ${table.blockNumber} <= ${last} order by ${table.blockNumber} limit ${batchRows})`,
        ),
      ])
    }
  }

  /** Repeats a write until its last statement finds less than it may delete. */
  async function inBatches(
    table: keyof typeof rows,
    queries: Parameters<Database['write']>[0],
  ): Promise<void> {
    for (let deleted = batchRows; deleted >= batchRows && isGoingOn(); ) {
      deleted = (await write(queries)).at(-1) ?? 0
      rows[table] += deleted
    }
  }

  /** A file of an earlier version, made without that, keeps its size and fills up again. */
  async function giveBackSpace(): Promise<Size> {
    let size = await read(() => sizeOf(client))
    while (size.bytes - size.usedBytes > Math.max(idleBytes, size.bytes * idleShare) && isGoingOn()) {
      await read(() => client.executeMultiple(`pragma incremental_vacuum(${vacuumPages})`))
      await messagesHandled()
      const { bytes } = size
      size = await read(() => sizeOf(client))
      if (size.bytes >= bytes) break
    }
    return size
  }
}
