import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Address } from 'viem'
import type { PaymasterStorePort, WhitelistPlace } from '../../types/ports/paymaster-store.ts'
import type { Database } from '../database.ts'
import { auditWrite } from './audit.ts'
import { whitelist } from './tables.ts'

type Whitelists = Pick<
  PaymasterStorePort,
  'addToWhitelist' | 'removeFromWhitelist' | 'isWhitelisted' | 'whitelist' | 'whitelistSize'
>

/** `policy_id` of a tenant's list outside of policies */
const noPolicy = 0

export function createWhitelists(database: Database): Whitelists {
  const { query, write, read } = database
  const among = (place: WhitelistPlace, addresses: readonly Address[]) =>
    and(at(place), inArray(whitelist.address, [...addresses]))
  const one = query
    .select()
    .from(whitelist)
    .where(
      and(
        eq(whitelist.tenantId, sql.placeholder('tenantId')),
        eq(whitelist.policyId, sql.placeholder('policyId')),
        eq(whitelist.address, sql.placeholder('address')),
      ),
    )
    .prepare()
  const present = (place: WhitelistPlace, addresses: readonly Address[]) =>
    read(() => query.select().from(whitelist).where(among(place, addresses)).all())

  return {
    async addToWhitelist({ place, addresses, audit }) {
      const known = new Set((await present(place, addresses)).map(({ address }) => address))
      const added = [...new Set(addresses)].filter((address) => !known.has(address))
      if (added.length === 0) return 0
      const rows = added.map((address) => ({ ...columnsOf(place), address }))
      await write([query.insert(whitelist).values(rows).onConflictDoNothing(), auditWrite(database, audit)])
      return added.length
    },

    async removeFromWhitelist({ place, addresses, audit }) {
      const known = await present(place, addresses)
      if (known.length === 0) return 0
      await write([query.delete(whitelist).where(among(place, addresses)), auditWrite(database, audit)])
      return known.length
    },

    isWhitelisted: ({ place, address }) =>
      read(async () => {
        // A placeholder's value goes to the driver as it is given.
        const stored = whitelist.address.mapToDriverValue(address)
        return (await one.get({ ...columnsOf(place), address: stored })) !== undefined
      }),

    whitelist: ({ place }) =>
      read(async () => {
        const rows = await query
          .select()
          .from(whitelist)
          .where(at(place))
          .orderBy(asc(whitelist.address))
          .all()
        return rows.map(({ address }) => address)
      }),

    whitelistSize: ({ tenantId }) => read(() => query.$count(whitelist, eq(whitelist.tenantId, tenantId))),
  }
}

function columnsOf({ tenantId, policyId = noPolicy }: WhitelistPlace) {
  return { tenantId, policyId }
}

function at(place: WhitelistPlace) {
  const { tenantId, policyId } = columnsOf(place)
  return and(eq(whitelist.tenantId, tenantId), eq(whitelist.policyId, policyId))
}
