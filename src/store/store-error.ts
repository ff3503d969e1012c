import { LibsqlError } from '@libsql/client'
import { DrizzleQueryError } from 'drizzle-orm'
import { describe, Unavailable } from '../base/errors.ts'

/** The database cannot be used at all: for the operator, who has to give another one or mend this one. */
export class CannotOpen extends Error {
  override readonly name: string = 'CannotOpen'
}

/** Another process took the database over: this one must not act any more, and nothing that it writes is stored. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  constructor() {
    super('another process has taken the database over')
  }
}

/** What SQLite answers when a statement or one of its values is at fault, whatever else is committed with it. */
const statementFaults = [
  'SQLITE_CONSTRAINT',
  'SQLITE_ERROR',
  'SQLITE_MISMATCH',
  'SQLITE_RANGE',
  'SQLITE_TOOBIG',
]

/** Whether a failed commit may succeed without one of its writes. Everything else is trouble of the store itself. */
export function isStatementFault(error: unknown): boolean {
  if (error instanceof LibsqlError) return statementFaults.some((fault) => error.code.startsWith(fault))
  // Values that the driver cannot pass; trouble of the system or the network has a code.
  return (error instanceof RangeError || error instanceof TypeError) && !('code' in error)
}

/** A failed read or write as its caller sees it. drizzle's own error carries the whole statement: its cause is told. */
export function storeFailure(doing: 'read' | 'write', error: unknown): Unavailable {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  return new Unavailable(`store ${doing}: ${withoutSecrets(cause)}`)
}

/** SQLite speaks of statements and files. The text of a network error or a server may repeat a URL or a token. */
export function withoutSecrets(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return describe(error)
  if (typeof error.code !== 'string') return error.name
  if (error.code.startsWith('SQLITE_')) return describe(error)
  const status =
    error.cause instanceof Error && 'status' in error.cause ? ` (HTTP ${error.cause.status})` : ''
  return `${error.code}${status}`
}
