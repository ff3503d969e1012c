import { expect, test } from 'bun:test'
import { createMetrics } from '../../src/base/metrics.ts'
import { deferred } from '../../src/base/queue.ts'
import { workerUrl } from '../../src/base/worker-url.ts'
import { connect } from '../../src/store/client.ts'
import { holdLease } from '../../src/store/held-lease.ts'
import { openIn } from '../../src/store/thread.ts'
import { record } from './builders.ts'
import { databaseFile, lonely, storeOptions } from './places.ts'

const context = () => ({ metrics: createMetrics(), signal: new AbortController().signal })

test('a thread that dies is fatal, and what was asked of it fails as unavailable', async () => {
  await using file = databaseFile()
  const worker = new Worker(workerUrl('store'))
  const fatal = deferred<Error>()
  const modules = { ...context(), onFatal: fatal.resolve }
  const store = await openIn(worker, storeOptions(file.url), modules)
  worker.terminate()
  const write = store.addOperation(record())
  const died = { name: 'Unavailable', what: 'store thread died: it ended' }
  await expect(write).rejects.toMatchObject(died)
  expect(await fatal.promise).toMatchObject(died)
  expect(await store.close(undefined)).toBeUndefined()
})

test('a thread that cannot start fails the start and is not fatal beyond it', async () => {
  const calls: Error[] = []
  const modules = { ...context(), onFatal: (error: Error) => calls.push(error) }
  const worker = new Worker('data:text/javascript,throw new Error("broken")')
  const opening = openIn(worker, storeOptions(':memory:'), modules)
  await expect(opening).rejects.toMatchObject({ name: 'Unavailable' })
  expect(calls).toEqual([])
})

test('a start that waits for the lease of another ends when it is told to', async () => {
  await using file = databaseFile()
  const client = await connect({ url: file.url, authToken: undefined })
  await holdLease(client, lonely.lease)
  const stopping = new AbortController()
  const modules = { ...context(), signal: stopping.signal, onFatal: () => {} }
  const opening = openIn(new Worker(workerUrl('store')), storeOptions(file.url), modules).catch(
    (error) => error,
  )
  stopping.abort()
  expect(await opening).toMatchObject({
    name: 'Unavailable',
    what: 'store thread died: the start was given up',
  })
  client.close()
})

test('a closed store is closed for good, which is not fatal', async () => {
  await using file = databaseFile()
  const calls: Error[] = []
  const worker = new Worker(workerUrl('store'))
  const ended = deferred<void>()
  const modules = { ...context(), onFatal: (error: Error) => calls.push(error) }
  const store = await openIn(worker, storeOptions(file.url), modules)
  worker.addEventListener('close', () => ended.resolve())
  await store.close(undefined)
  await ended.promise
  expect(calls).toEqual([])
})
