import type { Client, InStatement } from '@libsql/client'
import initial from './migrations/0000_initial.sql' with { type: 'text' }
import retention from './migrations/0001_retention.sql' with { type: 'text' }
import bundleTerms from './migrations/0002_bundle_terms.sql' with { type: 'text' }
import paymaster from './migrations/0003_paymaster.sql' with { type: 'text' }
import debtors from './migrations/0004_debtors.sql' with { type: 'text' }
import policyWhitelists from './migrations/0005_policy_whitelists.sql' with { type: 'text' }
import { CannotOpen, withoutSecrets } from './store-error.ts'

/** Every step of the schema, oldest first. The version of a database is how many of them it has had. */
export const migrations: readonly string[] = [
  initial,
  retention,
  bundleTerms,
  paymaster,
  debtors,
  policyWhitelists,
]

/** The database was written by a newer program; this one would not keep what it does not know. */
export class NewerSchema extends CannotOpen {
  override readonly name = 'NewerSchema'
  constructor(readonly found: number) {
    super(
      `the database has schema version ${found}, this program knows up to ${migrations.length}: start the newer program, or give this one another database`,
    )
  }
}

/** drizzle-kit writes this between the statements of a step. */
const statementBreak = '--> statement-breakpoint'

const schemaVersion = 'schema_version'

/** Commits statements together. */
type Commit = (statements: readonly InStatement[]) => Promise<unknown>

/** Takes the database to the newest schema; a step happens as a whole or not at all. @throws CannotOpen, NewerSchema */
export async function migrate(client: Client, commit: Commit): Promise<void> {
  try {
    await takeSteps(client, commit)
  } catch (error) {
    if (error instanceof NewerSchema) throw error
    throw new CannotOpen(`the schema of the database cannot be brought up to date: ${withoutSecrets(error)}`)
  }
}

async function takeSteps(client: Client, commit: Commit): Promise<void> {
  const found = await versionOf(client)
  if (found > migrations.length) throw new NewerSchema(found)
  for (const [done, step] of migrations.entries()) {
    if (done < found) continue
    const mark = {
      sql: 'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
      args: [schemaVersion, String(done + 1)],
    }
    await commit([...step.split(statementBreak), mark])
  }
}

/** Steps that a database has had. */
export async function versionOf(client: Client): Promise<number> {
  const tables = await client.execute(`select name from sqlite_master where type = 'table' and name = 'meta'`)
  if (tables.rows.length === 0) return 0
  const { rows } = await client.execute({
    sql: 'select value from meta where key = ?',
    args: [schemaVersion],
  })
  return Number(rows[0]?.value ?? 0)
}
