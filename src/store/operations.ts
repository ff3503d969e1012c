import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm'
import { versionAt } from '../types/entrypoint.ts'
import type { OperationRecord, StorePort } from '../types/ports/store.ts'
import { formatUserOperation, parseUserOperation } from '../types/rpc-userop.ts'
import type { Database } from './database.ts'
import { allPages } from './pages.ts'
import { isOpen, operations } from './schema.ts'

type Operations = Pick<StorePort, 'addOperation' | 'changeStates' | 'operation' | 'openOperations'>
type Row = typeof operations.$inferSelect

/** Operations in one answer: at most 5 MB of the largest ones. */
const pageSize = 256

export function createOperations({ query, write, read }: Database): Operations {
  const byHash = query
    .select()
    .from(operations)
    .where(
      and(eq(operations.chainId, sql.placeholder('chainId')), eq(operations.hash, sql.placeholder('hash'))),
    )
    .prepare()
  const rowid = sql<number>`rowid`
  const open = query
    .select({ ...getTableColumns(operations), rowid })
    .from(operations)
    .where(
      and(
        eq(operations.chainId, sql.placeholder('chainId')),
        isOpen,
        sql`(${operations.receivedAt}, rowid) > (${sql.placeholder('receivedAt')}, ${sql.placeholder('rowid')})`,
      ),
    )
    .orderBy(asc(operations.receivedAt), asc(rowid))
    .limit(pageSize)
    .prepare()

  return {
    async addOperation(record) {
      const row = rowOf(record)
      const target = [operations.chainId, operations.hash]
      await write([query.insert(operations).values(row).onConflictDoUpdate({ target, set: row })])
    },

    async changeStates(changes) {
      const updates = changes.map(({ chainId, hash, state, at }) =>
        query
          .update(operations)
          .set({
            state: state.kind,
            stateDetail: state,
            timestamps: sql`json_set(${operations.timestamps}, ${`$.${state.kind}`}, ${at})`,
          })
          .where(and(eq(operations.chainId, chainId), eq(operations.hash, hash))),
      )
      await write(updates)
    },

    operation: ({ chainId, hash }) =>
      read(async () => {
        const row = await byHash.get({ chainId, hash: hash.toLowerCase() })
        return row && recordOf(row)
      }),

    openOperations: ({ chainId }) =>
      read(async () => {
        const rows = await allPages<Row & { rowid: number }>(pageSize, (last) =>
          open.all({ chainId, receivedAt: last?.receivedAt ?? -1, rowid: last?.rowid ?? 0 }),
        )
        return rows.map(recordOf)
      }),
  }
}

function rowOf(record: OperationRecord): Row {
  const { chainId, hash, entryPoint, op, validationLevel = null, receivedAt, state, timestamps } = record
  return {
    ...{ chainId, hash, entryPoint, validationLevel, receivedAt, timestamps },
    operation: formatUserOperation(op),
    state: state.kind,
    stateDetail: state,
  }
}

function recordOf(row: Row): OperationRecord {
  const { chainId, hash, entryPoint, operation, validationLevel, receivedAt, stateDetail, timestamps } = row
  const version = versionAt(entryPoint)
  if (version === undefined) throw new Error(`operation ${hash} is of an unknown EntryPoint ${entryPoint}`)
  return {
    ...{ chainId, hash, entryPoint, receivedAt, timestamps },
    op: parseUserOperation(operation, version, 'complete', hash),
    validationLevel: validationLevel ?? undefined,
    state: stateDetail,
  }
}
