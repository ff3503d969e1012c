import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMetrics } from '../../src/base/metrics.ts'
import type { Store } from '../../src/store/protocol.ts'
import { openStore } from '../../src/store/store.ts'
import { storeOptions } from '../store/places.ts'

/** A store on a file of its own, in this thread; it can be closed and opened again as after a restart. */
export type OwnStore = AsyncDisposable & { store: Store; reopen(): Promise<Store> }

export async function ownStore(): Promise<OwnStore> {
  const directory = mkdtempSync(join(tmpdir(), 'tandem-paymaster-'))
  const url = `file:${join(directory, 'test.db')}`
  const fail = (error: Error) => {
    throw error
  }
  const open = () => openStore(storeOptions(url), { metrics: createMetrics(), onFatal: fail })
  const own = {
    store: await open(),
    async reopen() {
      await own.store.close(undefined)
      own.store = await open()
      return own.store
    },
    async [Symbol.asyncDispose]() {
      await own.store.close(undefined)
      rmSync(directory, { recursive: true })
    },
  }
  return own
}
