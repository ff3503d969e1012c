import { desc, eq } from 'drizzle-orm'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { Database } from '../database.ts'
import { debtors } from './tables.ts'

export function createDebtorStore({
  query,
  write,
  read,
}: Database): Pick<PaymasterStorePort, 'addDebtors' | 'debtors'> {
  return {
    async addDebtors({ chainId, senders }) {
      await write(
        senders.map((sender) => query.insert(debtors).values({ chainId, sender }).onConflictDoNothing()),
      )
    },

    debtors: ({ chainId, limit }) =>
      read(async () => {
        const rows = await query
          .select()
          .from(debtors)
          .where(eq(debtors.chainId, chainId))
          .orderBy(desc(debtors.id))
          .limit(limit)
          .all()
        return rows.map(({ sender }) => sender).reverse()
      }),
  }
}
