import { existsSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { connectBeside, fileOf, type Place } from './client.ts'
import { hasLeaseTable } from './lease-table.ts'
import { sizeOf } from './size.ts'
import { CannotOpen, withoutSecrets } from './store-error.ts'

/** Why there is no backup; one line for the operator. */
export class CannotBackUp extends Error {
  override readonly name = 'CannotBackUp'
}

/**
 * Copies a database file as it is at one moment, whoever writes to it meanwhile. `to` appears when the copy is
 * complete, checked and on the disk; nobody holds its lease.
 * @throws CannotBackUp, CannotOpen
 */
export async function backUp(place: Place, to: string): Promise<{ bytes: number }> {
  const from = fileOf(place.url)
  if (from === undefined)
    throw new CannotBackUp(
      'only a database file is copied; a libSQL server has its own means (its data directory, or snapshots)',
    )
  if (!existsSync(from)) throw new CannotBackUp(`there is no ${from}`)
  if (existsSync(to)) throw new CannotBackUp(`${to} is there already`)
  const unfinished = `${to}.unfinished`
  rmSync(unfinished, { force: true })
  try {
    await copy(place, unfinished)
    const bytes = await finish(unfinished)
    await sync(unfinished)
    await rename(unfinished, to)
    await sync(dirname(to))
    return { bytes }
  } catch (error) {
    rmSync(unfinished, { force: true })
    if (error instanceof CannotBackUp || error instanceof CannotOpen) throw error
    throw new CannotBackUp(withoutSecrets(error))
  }
}

async function copy(place: Place, to: string): Promise<void> {
  const client = await connectBeside(place)
  try {
    // Of the copy: one setting of the original that a copy does not take over.
    await client.execute('pragma auto_vacuum = incremental')
    await client.execute({ sql: 'vacuum into ?', args: [to] })
  } finally {
    client.close()
  }
}

/** Frees the lease, which was that of the original, and checks the copy. */
async function finish(path: string): Promise<number> {
  const url = `file:${path.split('/').map(encodeURIComponent).join('/')}`
  const client = await connectBeside({ url, authToken: undefined })
  try {
    if (await hasLeaseTable(client)) await client.execute('delete from lease')
    const { rows } = await client.execute('pragma quick_check')
    const found = String(rows[0]?.quick_check)
    if (found !== 'ok') throw new CannotBackUp(`the database is damaged: ${found}`)
    return (await sizeOf(client)).bytes
  } finally {
    client.close()
  }
}

/** What is written to a file, or the names in a directory, is on the disk from then on. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync()
  await handle.close()
}
