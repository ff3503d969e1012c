import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMetrics, type Metrics } from '../../src/base/metrics.ts'
import type { LeaseOptions } from '../../src/store/held-lease.ts'
import type { StoreHost, StoreOptions } from '../../src/store/protocol.ts'
import type { RetentionOptions } from '../../src/store/retention.ts'
import { openStore } from '../../src/store/store.ts'
import { startStoreThread } from '../../src/store/thread.ts'
import type { StorePort } from '../../src/types/ports/store.ts'
import { hasSqld, startSqld } from '../support/sqld.ts'

/** A database of its own, and the stores that a test opened on it. */
export type TestDatabase = AsyncDisposable & {
  url: string
  open(thread: Thread, metrics?: Metrics): Promise<StorePort>
}

/** Where a database can live; what holds for one holds for the other. */
export type DatabaseKind = 'file' | 'server'
export const databaseKinds: readonly DatabaseKind[] = hasSqld ? ['file', 'server'] : ['file']
if (!hasSqld) console.warn('tests on a libSQL server are skipped: its executable is for linux on x64')

export const database = (kind: DatabaseKind): Promise<TestDatabase> =>
  kind === 'file' ? Promise.resolve(databaseFile()) : databaseServer()

export function databaseFile(): TestDatabase & { path: string } {
  const directory = mkdtempSync(join(tmpdir(), 'tandem-store-'))
  const path = join(directory, 'test.db')
  const removed = async () => rmSync(directory, { recursive: true })
  return { path, ...opening(`file:${path}`, removed) }
}

async function databaseServer(): Promise<TestDatabase> {
  const server = await startSqld()
  return opening(server.url, () => server.stop())
}

function opening(url: string, remove: () => Promise<void>): TestDatabase {
  const open: StorePort[] = []
  return {
    url,
    async open(thread, metrics = createMetrics()) {
      const store = await threads[thread](url, metrics)
      open.push(store)
      return store
    },
    async [Symbol.asyncDispose]() {
      for (const store of open) await store.close(undefined).catch(() => {})
      await remove()
    },
  }
}

export type Thread = keyof typeof threads

/** Where a store can run; it is the same store in both. */
const threads = {
  'this thread': (url: string, metrics: Metrics) => openStore(storeOptions(url), { metrics, onFatal: fail }),
  'its own thread': (url: string, metrics: Metrics) =>
    startStoreThread(storeOptions(url), { metrics, onFatal: fail, signal: new AbortController().signal }),
}

export const keepAll: RetentionOptions = { age: 1e15, size: 1e15, reorgDepth: 64 }

/** With a lease that outlasts any test. */
export const storeOptions = (url: string): StoreOptions => ({
  url,
  authToken: undefined,
  leaseDuration: 20_000,
  retention: keepAll,
})

function fail(error: Error): void {
  throw error
}

/** Of a store whose database nobody else knows. */
export const lonely: { lease: LeaseOptions; retention: RetentionOptions } = {
  retention: keepAll,
  lease: { duration: 20_000, holder: { host: 'here', pid: 1, process: undefined }, isDead: () => false },
}

export const silent: StoreHost = {
  committed: () => {},
  leaseLost: () => {},
}
