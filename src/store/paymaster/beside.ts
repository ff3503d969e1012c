import type { Client } from '@libsql/client'
import type { TenantStorePort } from '../../types/ports/paymaster-store.ts'
import { connect, type Place } from '../client.ts'
import { createDatabase } from '../database.ts'
import { GroupCommit } from '../group-commit.ts'
import { holdLease } from '../held-lease.ts'
import { migrate, migrations, NewerSchema, versionOf } from '../migrations.ts'
import { isDead, thisProcess } from '../this-process.ts'
import { createTenants } from './tenants.ts'

/** ms; for the few statements of a schema */
const leaseDuration = 5_000

/**
 * Tenants and API keys of a database that a service may be using: it reads them at every call, so that what is written
 * here counts at once. It needs no lease, since nothing else writes what it writes. A database that has no schema yet,
 * or an older one, is brought up to date when nobody uses it.
 * @throws CannotOpen, LeaseHeld, NewerSchema
 */
export async function openTenantsBeside(place: Place): Promise<TenantStorePort & { close(): void }> {
  const client = await connect(place)
  try {
    await bringUpToDate(client)
  } catch (error) {
    client.close()
    throw error
  }
  const commits = new GroupCommit({
    commit: async (statements) =>
      (await client.batch([...statements], 'write')).map(({ rowsAffected }) => rowsAffected),
    onCommit: () => {},
  })
  return { ...createTenants(createDatabase(client, commits)), close: () => client.close() }
}

async function bringUpToDate(client: Client): Promise<void> {
  const found = await versionOf(client)
  if (found > migrations.length) throw new NewerSchema(found)
  if (found === migrations.length) return
  const lease = await holdLease(client, { duration: leaseDuration, holder: thisProcess(), isDead })
  try {
    await migrate(client, (statements) => lease.commit(statements))
  } finally {
    await lease.giveBack().catch(() => {})
  }
}
