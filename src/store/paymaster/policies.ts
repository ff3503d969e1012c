import { desc, eq, isNull, max } from 'drizzle-orm'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { Database } from '../database.ts'
import { auditWrite } from './audit.ts'
import { policyOf, storedPolicy } from './stored.ts'
import { policies } from './tables.ts'

type Policies = Pick<PaymasterStorePort, 'putPolicy' | 'deletePolicy' | 'policies'>

export function createPolicies(database: Database): Policies {
  const { query, write, read } = database
  return {
    async putPolicy({ policy, audit }) {
      const row = { id: policy.id, policy: storedPolicy(policy), deletedAt: null }
      const upsert = query
        .insert(policies)
        .values(row)
        .onConflictDoUpdate({ target: policies.id, set: { policy: row.policy } })
      await write([upsert, auditWrite(database, audit)])
    },

    async deletePolicy({ id, audit }) {
      const mark = query.update(policies).set({ deletedAt: audit.at }).where(eq(policies.id, id))
      await write([mark, auditWrite(database, audit)])
    },

    policies: () =>
      read(async () => {
        const rows = await query
          .select()
          .from(policies)
          .where(isNull(policies.deletedAt))
          .orderBy(desc(policies.id))
          .all()
        const [highest] = await query
          .select({ id: max(policies.id) })
          .from(policies)
          .all()
        return { policies: rows.map(({ policy }) => policyOf(policy)), highestId: highest?.id ?? 0 }
      }),
  }
}
