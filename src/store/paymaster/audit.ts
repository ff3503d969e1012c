import { desc, eq } from 'drizzle-orm'
import type { AuditEntry, PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { Database } from '../database.ts'
import { audit } from './tables.ts'

/** The write that stands beside every change. */
export function auditWrite({ query }: Database, { at, tenantId, keyId, action, subject }: AuditEntry) {
  const values = { at, tenantId: tenantId ?? null, keyId: keyId ?? null, action, subject }
  return query.insert(audit).values(values)
}

export function createAudit(database: Database): Pick<PaymasterStorePort, 'audit' | 'auditLog'> {
  const { query, write, read } = database
  return {
    async audit({ entry }) {
      await write([auditWrite(database, entry)])
    },

    auditLog: ({ tenantId, limit }) =>
      read(async () => {
        const rows = await query
          .select()
          .from(audit)
          .where(tenantId === undefined ? undefined : eq(audit.tenantId, tenantId))
          .orderBy(desc(audit.id))
          .limit(limit)
          .all()
        return rows.map(({ id: _, ...row }) => ({
          ...row,
          tenantId: row.tenantId ?? undefined,
          keyId: row.keyId ?? undefined,
        }))
      }),
  }
}
