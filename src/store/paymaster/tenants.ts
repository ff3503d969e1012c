import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { ApiKey } from '../../types/paymaster/tenant.ts'
import type { TenantStorePort } from '../../types/ports/paymaster-store.ts'
import type { Database } from '../database.ts'
import { auditWrite } from './audit.ts'
import { apiKeys, tenants } from './tables.ts'

/** Read at every call with a key, so that what the command line changes beside a running service counts at once. */
export function createTenants(database: Database): TenantStorePort {
  const { query, write, read } = database
  const byHash = query
    .select()
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(eq(apiKeys.hash, sql.placeholder('hash')))
    .prepare()

  return {
    async addTenant({ tenant, audit }) {
      await write([query.insert(tenants).values(tenant), auditWrite(database, audit)])
    },

    tenants: () => read(() => query.select().from(tenants).orderBy(asc(tenants.createdAt)).all()),

    async addApiKey({ key, audit }) {
      await write([query.insert(apiKeys).values(rowOf(key)), auditWrite(database, audit)])
    },

    async revokeApiKey({ id, at, audit }) {
      const open = and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt))
      const found = await read(() => query.select().from(apiKeys).where(open).all())
      if (found.length === 0) return false
      await write([query.update(apiKeys).set({ revokedAt: at }).where(open), auditWrite(database, audit)])
      return true
    },

    apiKey: ({ hash }) =>
      read(async () => {
        const row = await byHash.get({ hash })
        return row && { key: keyOf(row.api_keys), tenant: row.tenants }
      }),

    apiKeys: ({ tenantId }) =>
      read(async () => {
        const own = tenantId === undefined ? undefined : eq(apiKeys.tenantId, tenantId)
        const rows = await query.select().from(apiKeys).where(own).orderBy(asc(apiKeys.createdAt)).all()
        return rows.map(keyOf)
      }),
  }
}

function rowOf(key: ApiKey): typeof apiKeys.$inferSelect {
  const { creditsPerMonth = null, creditsPerSecond = null, revokedAt = null, ...rest } = key
  return { ...rest, creditsPerMonth, creditsPerSecond, revokedAt }
}

function keyOf(row: typeof apiKeys.$inferSelect): ApiKey {
  return {
    ...row,
    creditsPerMonth: row.creditsPerMonth ?? undefined,
    creditsPerSecond: row.creditsPerSecond ?? undefined,
    revokedAt: row.revokedAt ?? undefined,
  }
}
