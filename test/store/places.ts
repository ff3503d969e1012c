import { createMetrics, type Metrics } from '../../src/base/metrics.ts'
import type { LeaseOptions } from '../../src/store/held-lease.ts'
import type { Store, StoreHost, StoreOptions } from '../../src/store/protocol.ts'
import type { RetentionOptions } from '../../src/store/retention.ts'
import { openStore } from '../../src/store/store.ts'
import { startStoreThread } from '../../src/store/thread.ts'
import { type DatabaseKind, scratchFile, startDatabase } from '../support/database.ts'

/** A database of its own, and the stores that a test opened on it. */
export type TestDatabase = AsyncDisposable & {
  url: string
  open(thread: Thread, metrics?: Metrics): Promise<Store>
}

export async function database(kind: DatabaseKind): Promise<TestDatabase> {
  const place = await startDatabase(kind)
  return opening(place.url, async () => place[Symbol.asyncDispose]())
}

export function databaseFile(): TestDatabase & { path: string } {
  const { path, url, remove } = scratchFile()
  return { path, ...opening(url, async () => remove()) }
}

function opening(url: string, remove: () => Promise<void>): TestDatabase {
  const open: Store[] = []
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

export const keepAll: RetentionOptions = { age: 1e15, auditAge: 1e15, size: 1e15, reorgDepth: 64 }

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
