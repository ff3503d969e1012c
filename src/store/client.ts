import { type Client, createClient } from '@libsql/client'
import { describe } from '../base/errors.ts'
import { redactUrl } from '../base/log.ts'
import { CannotOpen, withoutSecrets } from './store-error.ts'

export type StoreOptions = {
  /** `file:./tandem.db`, `:memory:`, `libsql://…`, `https://…` or `http://…` */
  url: string
  authToken: string | undefined
}

/** ms that a commit waits for another program's lock on the file, such as a backup's. */
const busyTimeout = 5_000

/** ms for one request to a remote server. A commit takes two, so it ends before the store thread is given up. */
const requestTimeout = 10_000

const schemes = ['file:', 'libsql:', 'https:', 'http:']

/**
 * The only client of the database: one connection, so that nothing waits for a lock of our own.
 * @throws CannotOpen
 */
export async function connect({ url, authToken }: StoreOptions): Promise<Client> {
  if (isMemory(url) || schemes.some((scheme) => url.startsWith(scheme))) {
    try {
      const client = createClient({
        url,
        concurrency: 1,
        timeout: busyTimeout,
        fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(requestTimeout) }),
        ...(authToken === undefined ? {} : { authToken }),
      })
      if (url.startsWith('file:') && !isMemory(url)) await setUpFile(client)
      await client.execute('select 1')
      return client
    } catch (error) {
      throw new CannotOpen(
        `the database ${shown(url)} cannot be opened: ${isLocal(url) ? describe(error) : withoutSecrets(error)}`,
      )
    }
  }
  throw new CannotOpen(
    `the database URL must be file:PATH, :memory:, libsql://, https:// or http://, not ${redactUrl(url)}`,
  )
}

/** A commit that was answered is on the disk, whatever happens next. */
async function setUpFile(client: Client): Promise<void> {
  await client.execute('pragma journal_mode = wal')
  await client.execute('pragma synchronous = full')
}

function isMemory(url: string): boolean {
  return url === ':memory:' || url.startsWith('file::memory:')
}

const isLocal = (url: string): boolean => isMemory(url) || url.startsWith('file:')
const shown = (url: string): string => (isLocal(url) ? url : redactUrl(url))
