import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { createMetrics } from '../../src/base/metrics.ts'
import { connect } from '../../src/store/client.ts'
import { openStore } from '../../src/store/store.ts'
import { startStoreThread } from '../../src/store/thread.ts'
import { databaseFile, storeOptions } from './places.ts'

const modules = () => ({
  metrics: createMetrics(),
  onFatal: () => {},
  signal: new AbortController().signal,
})
const open = (url: string, authToken?: string) => openStore({ ...storeOptions(url), authToken }, modules())

/** The message that opening fails with. */
async function refusal(opening: Promise<unknown>): Promise<string> {
  const error = await opening.then(
    () => undefined,
    (error: Error) => error,
  )
  expect(error?.name).toBe('CannotOpen')
  return error?.message ?? ''
}

test.each([':memory:', 'file::memory:'])('%s is a database that nobody keeps', async (url) => {
  const store = await open(url)
  expect(await store.ping(undefined)).toBeUndefined()
  await store.close(undefined)
})

test('a file is written ahead of, and complete when it is closed', async () => {
  await using file = databaseFile()
  const store = await file.open('this thread')
  const ahead = () => Bun.file(`${file.path}-wal`).size
  expect(ahead()).toBeGreaterThan(0)
  await store.close(undefined)
  expect(ahead()).toBe(0)
})

test('every commit to a file is synced in full', async () => {
  await using file = databaseFile()
  const client = await connect({ url: file.url, authToken: undefined })
  const { rows } = await client.execute('pragma synchronous')
  client.close()
  expect(rows[0]?.synchronous).toBe(2)
})

test('a directory that does not exist is named', async () => {
  const text = await refusal(open('file:/nowhere/at/all.db'))
  expect(text).toStartWith('the database file:/nowhere/at/all.db cannot be opened: ')
})

test('a file that is no database is refused', async () => {
  await using file = databaseFile()
  writeFileSync(file.path, 'something else entirely, and long enough to be looked at'.repeat(100))
  const text = `the database ${file.url} cannot be opened: SQLITE_NOTADB: file is not a database`
  expect(await refusal(open(file.url))).toBe(text)
  const thread = startStoreThread(storeOptions(file.url), modules())
  expect(await refusal(thread)).toBe(text)
})

test('another kind of URL is refused without showing what may be secret in it', async () => {
  expect(await refusal(open('postgres://user:hunter2@host:5432/db?key=hunter2'))).toBe(
    'the database URL must be file:PATH, :memory:, libsql://, https:// or http://, not postgres://host:5432/…',
  )
})

test.each(['http', 'libsql'])(
  'a server by %s that is not there is named without its secrets',
  async (scheme) => {
    const port = await unusedPort()
    const tls = scheme === 'libsql' ? '&tls=0' : ''
    const url = `${scheme}://localhost:${port}/?authToken=hunter2${tls}`
    expect(await refusal(open(url, 'hunter2'))).toBe(
      `the database ${scheme}://localhost:${port}/… cannot be opened: ECONNREFUSED`,
    )
  },
)

test('a server that refuses the token is named without its secrets', async () => {
  using server = Bun.serve({
    port: 0,
    fetch: () => Response.json({ message: 'hunter2 is not welcome', code: 'UNAUTHORIZED' }, { status: 401 }),
  })
  const text = await refusal(open(`http://localhost:${server.port}`, 'hunter2'))
  expect(text).toBe(`the database http://localhost:${server.port} cannot be opened: SERVER_ERROR (HTTP 401)`)
})

/** A port on which nobody listens: one that was free a moment ago. */
async function unusedPort(): Promise<number> {
  const server = Bun.serve({ port: 0, fetch: () => new Response() })
  const { port } = server
  await server.stop(true)
  return port ?? 0
}
