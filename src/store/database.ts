import type { Client, InStatement, InValue } from '@libsql/client'
import type { Query } from 'drizzle-orm'
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql'
import type { GroupCommit } from './group-commit.ts'
import { storeFailure } from './store-error.ts'

/** How the parts of the store reach the database. */
export type Database = {
  query: LibSQLDatabase
  /**
   * Resolves after the commit of all of the queries together, with the rows that each changed.
   * @throws LimitExceeded, Unavailable
   */
  write(queries: readonly { toSQL(): Query }[]): Promise<readonly number[]>
  /** @throws Unavailable */
  read<T>(rows: () => Promise<T>): Promise<T>
}

export function createDatabase(client: Client, commits: GroupCommit): Database {
  return {
    query: drizzle(client),
    async write(queries) {
      return queries.length === 0 ? [] : commits.write(queries.map(statementOf))
    },
    async read(rows) {
      try {
        return await rows()
      } catch (error) {
        throw storeFailure('read', error)
      }
    },
  }
}

function statementOf(query: { toSQL(): Query }): InStatement {
  const { sql, params } = query.toSQL()
  return { sql, args: params as InValue[] }
}
