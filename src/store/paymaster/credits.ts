import { eq } from 'drizzle-orm'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { Database } from '../database.ts'
import { credits } from './tables.ts'

export function createCredits({
  query,
  write,
  read,
}: Database): Pick<PaymasterStorePort, 'saveCredits' | 'credits'> {
  return {
    async saveCredits(spendings) {
      await write(
        spendings.map((row) =>
          query
            .insert(credits)
            .values(row)
            .onConflictDoUpdate({ target: [credits.keyId, credits.month], set: { spent: row.spent } }),
        ),
      )
    },

    credits: ({ month }) =>
      read(async () => {
        const rows = await query.select().from(credits).where(eq(credits.month, month)).all()
        return rows.map(({ keyId, spent }) => ({ keyId, spent }))
      }),
  }
}
