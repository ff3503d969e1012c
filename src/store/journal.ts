import { and, asc, eq, getTableColumns, gt, gte, lt, sql } from 'drizzle-orm'
import { fundingIds } from '../types/funding.ts'
import type { StorePort } from '../types/ports/store.ts'
import type { BundleTerms, OpenBundle } from '../types/ports/submitter.ts'
import type { Database } from './database.ts'
import { allPages } from './pages.ts'
import { bundles, bundleTransactions, isUnsettled } from './schema.ts'

type Journal = Pick<StorePort, 'journal' | 'settleBundle' | 'openBundles' | 'fundings'>

/** Bundles in one answer: at most 6 MB, of 500 operations and 1000 known slots each. */
const pageSize = 32

type Row = typeof bundles.$inferSelect

/** What was signed, kept from before it is sent until its nonce is settled. */
export function createJournal({ query, write, read }: Database): Journal {
  const ofChain = eq(bundles.chainId, sql.placeholder('chainId'))
  const rowid = sql<number>`rowid`
  const open = query
    .select({ ...getTableColumns(bundles), rowid })
    .from(bundles)
    .where(and(ofChain, isUnsettled, gt(rowid, sql.placeholder('rowid'))))
    .orderBy(asc(rowid))
    .limit(pageSize)
    .prepare()
  const versions = query
    .select()
    .from(bundleTransactions)
    .where(
      and(
        eq(bundleTransactions.chainId, sql.placeholder('chainId')),
        eq(bundleTransactions.bundleId, sql.placeholder('bundleId')),
      ),
    )
    .orderBy(asc(bundleTransactions.createdAt), asc(rowid))
    .prepare()

  const fundings = query
    .select()
    .from(bundleTransactions)
    .where(
      and(
        eq(bundleTransactions.chainId, sql.placeholder('chainId')),
        gte(bundleTransactions.bundleId, fundingIds.first),
        lt(bundleTransactions.bundleId, fundingIds.end),
        gte(bundleTransactions.createdAt, sql.placeholder('since')),
      ),
    )
    .prepare()

  return {
    async journal({ transaction, operations, ceiling, conditions }) {
      const { chainId, bundleId } = transaction
      const bundle = {
        ...{ chainId, bundleId, operations, conditions, settled: false },
        maxFeeCeiling: ceiling?.maxFeePerGas,
        priorityFeeCeiling: ceiling?.maxPriorityFeePerGas,
      }
      await write([
        query.insert(bundles).values(bundle).onConflictDoNothing(),
        query.insert(bundleTransactions).values(transaction).onConflictDoNothing(),
      ])
    },

    async settleBundle({ chainId, bundleId }) {
      const same = and(eq(bundles.chainId, chainId), eq(bundles.bundleId, bundleId))
      await write([query.update(bundles).set({ settled: true }).where(same)])
    },

    fundings: (argument) => read(() => fundings.all(argument)),

    openBundles: ({ chainId }) =>
      read(async () => {
        const found = await allPages<Row & { rowid: number }>(pageSize, (last) =>
          open.all({ chainId, rowid: last?.rowid ?? 0 }),
        )
        const all: OpenBundle[] = []
        // One by one: the versions of a single bundle may be a few MB.
        for (const row of found) {
          const { bundleId } = row
          all.push({ bundleId, ...termsOf(row), transactions: await versions.all({ chainId, bundleId }) })
        }
        return all
      }),
  }
}

function termsOf({ operations, conditions, maxFeeCeiling, priorityFeeCeiling }: Row): BundleTerms {
  const ceiling =
    maxFeeCeiling === null || priorityFeeCeiling === null
      ? undefined
      : { maxFeePerGas: maxFeeCeiling, maxPriorityFeePerGas: priorityFeeCeiling }
  return { operations, ceiling, conditions: conditions ?? undefined }
}
