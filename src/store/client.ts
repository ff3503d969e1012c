import { type Client, createClient } from '@libsql/client'
import { describe } from '../base/errors.ts'
import { redactUrl } from '../base/log.ts'
import { CannotOpen, withoutSecrets } from './store-error.ts'

/** Where a database is. */
export type Place = {
  /** `file:./tandem.db`, `:memory:`, `libsql://…`, `https://…` or `http://…` */
  url: string
  authToken: string | undefined
}

/** ms that a commit waits for another program's lock on the file, such as a backup's. */
const busyTimeout = 5_000

/** Bytes of the log beside a file that stay after it was copied over; while somebody reads for long it grows beyond. */
const logLimit = 16 * 2 ** 20

/** ms for one request to a remote server. A commit takes two, so it ends before the store thread is given up. */
const requestTimeout = 10_000

const schemes = ['file:', 'libsql:', 'https:', 'http:']

/**
 * A client that writes, for the store that owns the database or a command beside it: one connection, so that nothing
 * waits for a lock of our own.
 * @throws CannotOpen
 */
export function connect(place: Place): Promise<Client> {
  return opened(place, async (client) => {
    if (fileOf(place.url) !== undefined) await setUpFile(client)
  })
}

/** A client beside that of the owner, to look at a database or to copy it. @throws CannotOpen */
export function connectBeside(place: Place): Promise<Client> {
  return opened(place, async () => {})
}

async function opened({ url, authToken }: Place, setUp: (client: Client) => Promise<void>): Promise<Client> {
  if (!isMemory(url) && !schemes.some((scheme) => url.startsWith(scheme)))
    throw new CannotOpen(
      `the database URL must be file:PATH, :memory:, libsql://, https:// or http://, not ${redactUrl(url)}`,
    )
  try {
    const client = createClient({
      url,
      concurrency: 1,
      timeout: busyTimeout,
      fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(requestTimeout) }),
      ...(authToken === undefined ? {} : { authToken }),
    })
    await setUp(client)
    await client.execute('select 1')
    return client
  } catch (error) {
    throw new CannotOpen(
      `the database ${shown(url)} cannot be opened: ${isLocal(url) ? describe(error) : withoutSecrets(error)}`,
    )
  }
}

/**
 * A commit that was answered is on the disk, whatever happens next. A new file gives back pages that hold nothing any
 * more, which has to be said before anything else.
 */
async function setUpFile(client: Client): Promise<void> {
  await client.execute('pragma auto_vacuum = incremental')
  await client.execute('pragma journal_mode = wal')
  await client.execute('pragma synchronous = full')
  await client.execute(`pragma journal_size_limit = ${logLimit}`)
}

/** `file:./tandem.db` → `./tandem.db`; `undefined` for a server. */
export function fileOf(url: string): string | undefined {
  return url.startsWith('file:') && !isMemory(url) ? url.slice('file:'.length).split('?')[0] : undefined
}

function isMemory(url: string): boolean {
  return url === ':memory:' || url.startsWith('file::memory:')
}

const isLocal = (url: string): boolean => isMemory(url) || url.startsWith('file:')
const shown = (url: string): string => (isLocal(url) ? url : redactUrl(url))
