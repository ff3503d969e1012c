import { expect, test } from 'bun:test'
import { LibsqlError } from '@libsql/client'
import { createMetrics } from '../../src/base/metrics.ts'
import { GroupCommit } from '../../src/store/group-commit.ts'
import { createStore, openStore } from '../../src/store/store.ts'
import type { OperationRecord, StorePort } from '../../src/types/ports/store.ts'
import { brittleClient } from './brittle-client.ts'
import { chainId, event, hash, operation, record, transaction } from './builders.ts'
import { databaseFile, lonely, silent, storeOptions } from './places.ts'

const records = (count: number): OperationRecord[] =>
  Array.from({ length: count }, (_, index) =>
    record({ op: operation({ nonce: BigInt(index) }), receivedAt: index }),
  )

/** A number that the driver cannot pass: the write that holds it can never be committed. */
const bad = record({ op: operation({ nonce: 1_000_000n }), receivedAt: Number.NaN })

async function storeOn(brittle: ReturnType<typeof brittleClient>) {
  const store = await createStore(brittle.client, lonely, silent)
  return { store, commitsOfStart: brittle.commits }
}

const unavailable = (what: string) => ({ name: 'Unavailable', code: -32603, message: 'Internal error', what })

test('a thousand operations at once share a few commits', async () => {
  const brittle = brittleClient()
  const { store, commitsOfStart } = await storeOn(brittle)
  const all = records(1000)
  await Promise.all(all.map(store.addOperation))
  expect(brittle.commits - commitsOfStart).toBe(2)
  expect(await store.openOperations({ chainId })).toEqual(all)
})

test('a write that comes alone is committed alone', async () => {
  const brittle = brittleClient()
  const { store, commitsOfStart } = await storeOn(brittle)
  for (const each of records(3)) await store.addOperation(each)
  expect(brittle.commits - commitsOfStart).toBe(3)
})

test('a thousand operations sent to the thread one by one share commits too', async () => {
  await using file = databaseFile()
  const metrics = createMetrics()
  const store = await file.open('its own thread', metrics)
  const writes: Promise<void>[] = []
  for (const each of records(1000)) {
    writes.push(store.addOperation(each))
    await Promise.resolve()
  }
  await Promise.all(writes)
  const counts = await counted(metrics)
  expect(counts.tandem_store_writes_total).toBe(1000)
  expect(counts.tandem_store_commits_total).toBeLessThan(100)
})

/** Two events in one place of the chain, which the database refuses. */
const twice = { chainId, block: event().block, events: [event(), event()], receipts: [] }

test.each<[string, (store: StorePort) => Promise<void>]>([
  ['that the driver cannot pass', (store) => store.addOperation(bad)],
  ['that the database refuses', (store) => store.indexBlock(twice)],
])('one write %s fails alone', async (_, badWrite) => {
  const { store } = await storeOn(brittleClient())
  const [before, after] = [record({ op: operation({ nonce: 1n }) }), record({ op: operation({ nonce: 2n }) })]
  const writes = [store.addOperation(before), badWrite(store), store.addOperation(after)]
  const outcomes = await Promise.allSettled(writes)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await store.openOperations({ chainId })).toEqual([before, after])
  expect(await store.indexedBlocks({ chainId, limit: 1 })).toEqual([])
})

test('the statements of a write are committed together or not at all', async () => {
  const { store } = await storeOn(brittleClient())
  const journal = store.journal({
    transaction: transaction({ createdAt: Number.NaN }),
    operations: [hash(1)],
  })
  await expect(journal).rejects.toMatchObject({ code: -32603 })
  await store.journal({ transaction: transaction(), operations: [hash(2)] })
  expect(await store.openBundles({ chainId })).toEqual([
    { bundleId: 'b1', operations: [hash(2)], transactions: [transaction()] },
  ])
})

test.each([
  ['SQLITE_READONLY', 'attempt to write a readonly database'],
  ['SQLITE_FULL', 'database or disk is full'],
  ['SQLITE_IOERR', 'disk I/O error'],
  ['SQLITE_BUSY', 'database is locked'],
])(
  'while the store is in trouble (%s) writes fail as unavailable, and none is half done',
  async (code, text) => {
    const brittle = brittleClient()
    const { store } = await storeOn(brittle)
    brittle.breakDown(new LibsqlError(text, code))
    const outcomes = await Promise.allSettled(records(3).map(store.addOperation))
    const reason = expect.objectContaining(unavailable(`store write: ${code}: ${text}`))
    expect(outcomes).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ])
    expect(await store.openOperations({ chainId })).toEqual([])
  },
)

test('a commit that was given up is never carried out after a later one', async () => {
  const brittle = brittleClient()
  const { store } = await storeOn(brittle)
  brittle.hold(new LibsqlError('no answer in time', 'TIMEOUT'))
  await expect(store.addOperation(record())).rejects.toMatchObject(unavailable('store write: TIMEOUT'))
  const changed = record({ state: { kind: 'bundled', bundleId: 'b1' } })
  await store.addOperation(changed)
  await expect(brittle.carryOut()).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' })
  expect(await store.operation(record())).toEqual(changed)
  await store.addOperation(record())
})

test('a commit that was given up and carried out at once does not stop later ones', async () => {
  const brittle = brittleClient()
  const { store } = await storeOn(brittle)
  brittle.hold(new LibsqlError('no answer in time', 'TIMEOUT'))
  await store.addOperation(record()).catch(() => {})
  await brittle.carryOut()
  const changed = record({ state: { kind: 'bundled', bundleId: 'b1' } })
  await store.addOperation(changed)
  expect(await store.operation(record())).toEqual(changed)
})

test('what a server says in trouble is not repeated, since it may hold secrets', async () => {
  const brittle = brittleClient()
  const { store } = await storeOn(brittle)
  brittle.breakDown(new LibsqlError('no https://user:hunter2@host', 'SERVER_ERROR'))
  await expect(store.addOperation(record())).rejects.toMatchObject(unavailable('store write: SERVER_ERROR'))
})

test('a read that fails is unavailable, and does not repeat the statement', async () => {
  const { store } = await storeOn(brittleClient())
  await store.close(undefined)
  const read = store.operation({ chainId, hash: hash(1) })
  await expect(read).rejects.toMatchObject(unavailable('store read: CLIENT_CLOSED'))
})

test('when the store is back later writes work again', async () => {
  const brittle = brittleClient()
  const { store } = await storeOn(brittle)
  brittle.breakDown()
  await expect(store.addOperation(record())).rejects.toThrow()
  brittle.mend()
  await store.addOperation(record())
  expect(await store.operation(record())).toEqual(record())
})

test('a ping fails from a failed write until a write works again', async () => {
  const brittle = brittleClient()
  const { store } = await storeOn(brittle)
  brittle.breakDown()
  await expect(store.addOperation(record())).rejects.toThrow()
  await expect(store.ping(undefined)).rejects.toMatchObject({ name: 'Unavailable' })
  brittle.mend()
  expect(await store.ping(undefined)).toBeUndefined()
})

test('a bad write does not make the store unready', async () => {
  const { store } = await storeOn(brittleClient())
  await expect(store.addOperation(bad)).rejects.toThrow()
  expect(await store.ping(undefined)).toBeUndefined()
})

test('more writes than may wait are refused at once', async () => {
  const commits = new GroupCommit({ commit: async () => [], onCommit: () => {} })
  const outcomes = await Promise.allSettled(Array.from({ length: 20_003 }, () => commits.write([])))
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(3)
  expect(refused[0]).toMatchObject({ reason: { code: -32005, data: { retryAfterMs: 1000 } } })
})

test('closing commits what waits', async () => {
  await using file = databaseFile()
  const store = await file.open('its own thread')
  const write = store.addOperation(record())
  await store.close(undefined)
  await write
  const reopened = await file.open('this thread')
  expect(await reopened.operation(record())).toEqual(record())
})

test('calls are counted and timed', async () => {
  const metrics = createMetrics()
  const store = await openStore(storeOptions(':memory:'), { metrics, onFatal: () => {} })
  await store.addOperation(record())
  await store.operation(record())
  await expect(store.addOperation(bad)).rejects.toThrow()
  expect(await counted(metrics)).toMatchObject({
    tandem_store_commits_total: 1,
    tandem_store_writes_total: 1,
    tandem_store_commit_seconds_count: 1,
    tandem_store_queue_depth: 0,
    'tandem_store_write_seconds_count{call="addOperation"}': 2,
    'tandem_store_read_seconds_count{call="operation"}': 1,
    'tandem_store_failures_total{call="addOperation"}': 1,
  })
})

async function counted(metrics: ReturnType<typeof createMetrics>): Promise<Record<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}
