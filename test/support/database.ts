import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasSqld, startSqld } from './sqld.ts'

/** Where a database can live; what holds for one holds for the other. */
export type DatabaseKind = 'file' | 'server'

export const databaseKinds: readonly DatabaseKind[] = hasSqld ? ['file', 'server'] : ['file']
if (!hasSqld) console.warn('tests on a libSQL server are skipped: its executable is for linux on x64')

/** A database of its own, removed when it is disposed of. */
export async function startDatabase(kind: DatabaseKind): Promise<AsyncDisposable & { url: string }> {
  if (kind === 'server') {
    const server = await startSqld()
    return { url: server.url, [Symbol.asyncDispose]: () => server.stop() }
  }
  const { url, remove } = scratchFile()
  return { url, [Symbol.asyncDispose]: async () => remove() }
}

/** A database file in a directory of its own. */
export function scratchFile(): { path: string; url: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'tandem-database-'))
  const path = join(directory, 'test.db')
  return { path, url: `file:${path}`, remove: () => rmSync(directory, { recursive: true }) }
}
