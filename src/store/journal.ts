import { and, asc, eq, sql } from 'drizzle-orm'
import type { StorePort } from '../types/ports/store.ts'
import type { JournaledTransaction, OpenBundle } from '../types/ports/submitter.ts'
import type { Database } from './database.ts'
import { bundles, bundleTransactions, isUnsettled } from './schema.ts'

type Journal = Pick<StorePort, 'journal' | 'settleBundle' | 'openBundles'>

/** What was signed, kept from before it is sent until its nonce is settled. */
export function createJournal({ query, write, read }: Database): Journal {
  // A cross join is what SQLite does not reorder: few bundles are open, and each chain has a long past.
  const open = query
    .select()
    .from(bundles)
    .crossJoin(bundleTransactions)
    .where(
      and(
        eq(bundles.chainId, sql.placeholder('chainId')),
        isUnsettled,
        eq(bundleTransactions.chainId, bundles.chainId),
        eq(bundleTransactions.bundleId, bundles.bundleId),
      ),
    )
    .orderBy(asc(bundleTransactions.createdAt), asc(sql`${bundleTransactions}.rowid`))
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
        const found = new Map<string, OpenBundle & { transactions: JournaledTransaction[] }>()
        for (const { bundles: bundle, bundle_transactions: transaction } of await open.all({ chainId })) {
          const { bundleId, operations } = bundle
          const known = found.get(bundleId)
          if (known === undefined) found.set(bundleId, { bundleId, operations, transactions: [transaction] })
          else known.transactions.push(transaction)
        }
        return [...found.values()]
      }),
  }
}
