import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { StorePort } from '../types/ports/store.ts'
import type { OpenBundle } from '../types/ports/submitter.ts'
import type { Database } from './database.ts'
import { allPages } from './pages.ts'
import { bundles, bundleTransactions, isUnsettled } from './schema.ts'

type Journal = Pick<StorePort, 'journal' | 'settleBundle' | 'openBundles'>

/** Bundles in one answer: at most 5 MB, of 500 operations each. */
const pageSize = 128

/** What was signed, kept from before it is sent until its nonce is settled. */
export function createJournal({ query, write, read }: Database): Journal {
  const ofChain = eq(bundles.chainId, sql.placeholder('chainId'))
  const rowid = sql<number>`rowid`
  const open = query
    .select({ bundleId: bundles.bundleId, operations: bundles.operations, rowid })
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

  return {
    async journal({ transaction, operations }) {
      const { chainId, bundleId } = transaction
      const bundle = { chainId, bundleId, operations, settled: false }
      await write([
        query.insert(bundles).values(bundle).onConflictDoNothing(),
        query.insert(bundleTransactions).values(transaction).onConflictDoNothing(),
      ])
    },

    async settleBundle({ chainId, bundleId }) {
      const same = and(eq(bundles.chainId, chainId), eq(bundles.bundleId, bundleId))
      await write([query.update(bundles).set({ settled: true }).where(same)])
    },

    openBundles: ({ chainId }) =>
      read(async () => {
        const found = await allPages<{ rowid: number } & Omit<OpenBundle, 'transactions'>>(pageSize, (last) =>
          open.all({ chainId, rowid: last?.rowid ?? 0 }),
        )
        const bundles: OpenBundle[] = []
        // One by one: the versions of a single bundle may be a few MB.
        for (const { bundleId, operations } of found)
          bundles.push({ bundleId, operations, transactions: await versions.all({ chainId, bundleId }) })
        return bundles
      }),
  }
}
