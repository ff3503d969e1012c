import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMetrics, type Metrics } from '../../src/base/metrics.ts'
import { openStore } from '../../src/store/store.ts'
import { startStoreThread } from '../../src/store/thread.ts'
import type { StorePort } from '../../src/types/ports/store.ts'

/** A database file in a directory of its own, and the stores that a test opened on it. */
export function databaseFile() {
  const directory = mkdtempSync(join(tmpdir(), 'tandem-store-'))
  const open: StorePort[] = []
  const path = join(directory, 'test.db')
  return {
    path,
    url: `file:${path}`,
    async open(place: keyof typeof places, metrics: Metrics = createMetrics()): Promise<StorePort> {
      const store = await places[place](`file:${path}`, metrics)
      open.push(store)
      return store
    },
    async [Symbol.asyncDispose]() {
      for (const store of open) await store.close(undefined).catch(() => {})
      rmSync(directory, { recursive: true })
    },
  }
}

/** Where a store can live; it is the same store in both. */
const places = {
  'this thread': (url: string, metrics: Metrics) => openStore({ url, authToken: undefined }, { metrics }),
  'its own thread': (url: string, metrics: Metrics) =>
    startStoreThread({ url, authToken: undefined }, { metrics, onFatal: fail }),
}

function fail(error: Error): void {
  throw error
}
