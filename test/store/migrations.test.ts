import { expect, test } from 'bun:test'
import { type Client, createClient } from '@libsql/client'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { createMetrics } from '../../src/base/metrics.ts'
import { migrate, migrations } from '../../src/store/migrations.ts'
import * as paymasterTables from '../../src/store/paymaster/tables.ts'
import * as schema from '../../src/store/schema.ts'
import { openStore } from '../../src/store/store.ts'
import { startStoreThread } from '../../src/store/thread.ts'
import { databaseFile, storeOptions } from './places.ts'

const up = (client: Client) => migrate(client, (statements) => client.batch([...statements], 'write'))
const memory = () => createClient({ url: ':memory:' })

test('the migrations make the database that the schema describes', async () => {
  const migrated = memory()
  await up(migrated)
  const described = memory()
  const statements = await generateSQLiteMigration(
    await generateSQLiteDrizzleJson({}),
    await generateSQLiteDrizzleJson({ ...schema, ...paymasterTables }),
  )
  await described.batch(statements, 'write')
  const shape = await shapeOf(described)
  expect(shape.map(({ name }) => name)).toContain('operations')
  expect(await shapeOf(migrated)).toEqual(shape)
})

test('every migration on disk is one that the program knows', async () => {
  const files = await Array.fromAsync(new Bun.Glob('src/store/migrations/*.sql').scan())
  const texts = await Promise.all(files.sort().map((file) => Bun.file(file).text()))
  expect(texts).toEqual([...migrations])
})

test('a database that is up to date is left as it is', async () => {
  const client = memory()
  await up(client)
  const before = await client.execute('select total_changes() as changes')
  await up(client)
  expect(await client.execute('select total_changes() as changes')).toEqual(before)
})

test('a migration that fails leaves nothing behind', async () => {
  const client = memory()
  await client.execute('create table reputation (wrong integer)')
  await expect(up(client)).rejects.toMatchObject({ name: 'CannotOpen' })
  const tables = await client.execute(`select name from sqlite_master where type = 'table'`)
  expect(tables.rows.map(({ name }) => name)).toEqual(['reputation'])
})

test('a database of a newer schema is refused in one line that names both versions', async () => {
  await using file = databaseFile()
  const store = await file.open('this thread')
  await store.close(undefined)
  const client = createClient({ url: file.url })
  await client.execute(`update meta set value = '99' where key = 'schema_version'`)
  client.close()

  const message = `the database has schema version 99, this program knows up to ${migrations.length}: start the newer program, or give this one another database`
  const options = storeOptions(file.url)
  const modules = {
    metrics: createMetrics(),
    onFatal: () => {},
    signal: new AbortController().signal,
  }
  const refusal = { name: 'NewerSchema', message }
  await expect(openStore(options, modules)).rejects.toMatchObject(refusal)
  await expect(startStoreThread(options, modules)).rejects.toMatchObject(refusal)
})

test('a policy that had senders on its whitelist when that was all that told keeps it', async () => {
  const client = memory()
  const before = migrations.length - 1
  await client.batch(
    migrations.slice(0, before).flatMap((step) => step.split('--> statement-breakpoint')),
    'write',
  )
  await client.batch(
    [
      `insert into meta (key, value) values ('schema_version', '${before}')`,
      `insert into policies (id, policy) values (1, '{"tenantId":"a","name":"listed"}'), (2, '{"tenantId":"a","name":"open"}')`,
      `insert into whitelist (tenant_id, policy_id, address) values ('a', 1, '0x01'), ('b', 2, '0x01'), ('a', 0, '0x01')`,
    ],
    'write',
  )
  await up(client)
  const { rows } = await client.execute('select policy from policies order by id')
  expect(rows.map(({ policy }) => JSON.parse(String(policy)))).toEqual([
    { tenantId: 'a', name: 'listed', whitelistApplicable: true },
    { tenantId: 'a', name: 'open', whitelistApplicable: false },
  ])
})

/** Tables with their columns and indexes as SQLite knows them, whatever steps led there. */
async function shapeOf(client: Client) {
  const rows = async (sql: string) => (await client.execute(sql)).rows.map((row) => ({ ...row }))
  const tables = await rows(`select name from sqlite_master where type = 'table' order by name`)
  return Promise.all(
    tables.map(async ({ name }) => ({
      name,
      columns: await rows(
        `select name, type, "notnull", dflt_value, pk from pragma_table_info('${name}') order by name`,
      ),
      indexes: await rows(
        `select list.name, list."unique", list.partial, info.seqno, info.name as column, master.sql
         from pragma_index_list('${name}') list join pragma_index_info(list.name) info
         left join sqlite_master master on master.name = list.name
         order by list.name, info.seqno`,
      ),
    })),
  )
}
