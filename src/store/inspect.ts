import { connectBeside, type Place } from './client.ts'
import type { Lease } from './lease.ts'
import { hasLeaseTable, readLease } from './lease-table.ts'
import { migrations, NewerSchema, versionOf } from './migrations.ts'
import { sizeOf } from './size.ts'

/** What a database is, as one sees who does not own it. */
export type Inspection = {
  /** Steps of the schema that it has had, and that this program knows. */
  schema: { found: number; known: number }
  bytes: number
  /** Of whoever uses it now. */
  lease: Lease | undefined
}

/** Changes nothing. @throws CannotOpen, NewerSchema, LibsqlError */
export async function inspect(place: Place): Promise<Inspection> {
  const client = await connectBeside(place)
  try {
    const found = await versionOf(client)
    if (found > migrations.length) throw new NewerSchema(found)
    const { lease, now } = (await hasLeaseTable(client))
      ? await readLease(client)
      : { lease: undefined, now: 0 }
    return {
      schema: { found, known: migrations.length },
      bytes: (await sizeOf(client)).bytes,
      lease: lease !== undefined && lease.until > now ? lease : undefined,
    }
  } finally {
    client.close()
  }
}
