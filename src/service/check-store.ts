import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import type { StoreOptions } from '../store/client.ts'
import { openStore } from '../store/store.ts'
import type { Finding } from './check.ts'

/** Whether the database can be opened; a file that is not there yet is not made, and only its place is looked at. */
export async function checkStore(options: StoreOptions, context: Context): Promise<Finding> {
  const file = fileOf(options.url)
  try {
    if (file !== undefined && !existsSync(file)) {
      accessSync(dirname(file), constants.W_OK)
      return { ok: true, text: `database: ${file} will be made` }
    }
    const store = await openStore(options, context)
    await store.ping(undefined)
    await store.close(undefined)
    return { ok: true, text: 'database' }
  } catch (error) {
    return { ok: false, text: `database: ${describe(error)}` }
  }
}

/** `file:./tandem.db` → `./tandem.db`; `undefined` for a server. */
function fileOf(url: string): string | undefined {
  return url.startsWith('file:') ? url.slice('file:'.length).split('?')[0] : undefined
}
