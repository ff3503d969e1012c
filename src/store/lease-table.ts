import type { Client, InStatement, Row } from '@libsql/client'
import type { Holder, Lease } from './lease.ts'

/**
 * One row beside the schema: it guards the migrations too, so that it comes before them and never changes. Programs
 * of any version have to read it.
 */
const create = `create table if not exists lease (
  id integer primary key check (id = 1),
  token text not null,
  fence integer not null,
  host text not null,
  pid integer not null,
  process text,
  duration integer not null,
  since integer not null,
  until integer not null
)`

/** The clock that all who want the lease go by: the machines of a server's clients need not agree on the time. */
const now = `cast(unixepoch('subsec') * 1000 as integer)`

const columns = 'token, fence, host, pid, process, duration, since, until'

/** What the table says, with the time of the database. */
export type Seen = { lease: Lease | undefined; now: number }

export async function createLeaseTable(client: Client): Promise<void> {
  await client.execute(create)
}

export async function readLease(client: Client): Promise<Seen> {
  const { rows } = await client.execute(
    `select ${columns}, ${now} as now from (select 1) left join lease on id = 1`,
  )
  const [row] = rows
  return { lease: row && leaseOf(row), now: Number(row?.now) }
}

/** Whether anybody ever had a lease. */
export async function hasLeaseTable(client: Client): Promise<boolean> {
  const found = await client.execute(`select 1 from sqlite_master where type = 'table' and name = 'lease'`)
  return found.rows.length > 0
}

function leaseOf(row: Row): Lease | undefined {
  if (row.token === null) return undefined
  return {
    token: String(row.token),
    fence: Number(row.fence),
    host: String(row.host),
    pid: Number(row.pid),
    process: row.process === null ? undefined : String(row.process),
    duration: Number(row.duration),
    since: Number(row.since),
    until: Number(row.until),
  }
}

/** Takes the lease if the table still says what was seen. `undefined` when another was faster, or it was renewed. */
export async function takeLease(
  client: Client,
  taking: Holder & Pick<Lease, 'token' | 'duration'>,
  seen: Lease | undefined,
): Promise<Lease | undefined> {
  const { token, host, pid, process = null, duration } = taking
  const values = [token, host, pid, process, duration, duration]
  const { rows } = await client.execute(
    seen === undefined
      ? {
          sql: `insert into lease (id, ${columns}) values (1, ?, 1, ?, ?, ?, ?, ${now}, ${now} + ?)
                on conflict do nothing returning ${columns}`,
          args: values,
        }
      : {
          sql: `update lease set token = ?, fence = fence + 1, host = ?, pid = ?, process = ?, duration = ?,
                since = ${now}, until = ${now} + ?
                where token = ? and fence = ? and until = ? returning ${columns}`,
          args: [...values, seen.token, seen.fence, seen.until],
        },
  )
  const [row] = rows
  return row && leaseOf(row)
}

type Fence = Pick<Lease, 'token' | 'fence'>

/** Fails, and with it the transaction that it is in, unless the lease is held under this number. Writes nothing. */
export function guard({ token, fence }: Fence): InStatement {
  return refusing('token = ? and fence = ?', token, fence)
}

/**
 * Goes over to a higher number and leaves behind what was sent under earlier ones. Fails, and with it the
 * transaction, unless the lease is held under one of those.
 */
export function raise({ token, fence }: Fence): readonly InStatement[] {
  return [
    refusing('token = ? and fence < ?', token, fence),
    { sql: 'update lease set fence = ? where id = 1', args: [fence] },
  ]
}

/** The table takes no second row, so that trying to write one ends the transaction. */
function refusing(unless: string, token: string, fence: number): InStatement {
  return {
    sql: `insert into lease (id, ${columns}) select 2, '', 0, '', 0, null, 0, 0, 0
          where not exists (select 1 from lease where ${unless})`,
    args: [token, fence],
  }
}

/** Only ever in a transaction that is guarded. */
export function renewal(duration: number): InStatement {
  return { sql: `update lease set until = ${now} + ? where id = 1`, args: [duration] }
}

export async function giveBack(client: Client, token: string): Promise<void> {
  await client.execute({ sql: 'update lease set until = 0 where token = ?', args: [token] })
}
