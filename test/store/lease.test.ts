import { describe, expect, test } from 'bun:test'
import type { Client } from '@libsql/client'
import { deferred } from '../../src/base/queue.ts'
import { connect } from '../../src/store/client.ts'
import { holdLease, type LeaseOptions } from '../../src/store/held-lease.ts'
import type { Holder } from '../../src/store/lease.ts'
import { readLease } from '../../src/store/lease-table.ts'
import { createStore } from '../../src/store/store.ts'
import { databaseKinds } from '../support/database.ts'
import { operation, record } from './builders.ts'
import { database, lonely, silent } from './places.ts'

const holder = (pid: number): Holder => ({ host: 'elsewhere', pid, process: undefined })

/** Instances on other machines: whether they live cannot be told. Their clients end with the test. */
async function machines(kind: (typeof databaseKinds)[number]) {
  const place = await database(kind)
  const clients: Client[] = []
  const connected = async () => {
    const client = await connect({ url: place.url, authToken: undefined })
    clients.push(client)
    return client
  }
  const options = (pid: number, duration: number): LeaseOptions => ({
    ...{ duration, holder: holder(pid), isDead: () => false },
  })
  return {
    connected,
    lease: async (pid: number, duration = 20_000) => holdLease(await connected(), options(pid, duration)),
    async start(pid: number, duration = 20_000) {
      const lost = deferred<void>()
      const host = { ...silent, leaseLost: () => lost.resolve() }
      const store = await createStore(await connected(), { ...lonely, lease: options(pid, duration) }, host)
      return { store, lost: lost.promise }
    },
    seen: async () => (await readLease(await connected())).lease,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

const refusal = (starting: Promise<unknown>): Promise<Error> =>
  starting.then(
    () => Promise.reject(new Error('it started')),
    (error) => error,
  )

describe.each(databaseKinds)('the lease of a database on a %s', (kind) => {
  test('is refused to a second instance while the first renews it, with who has it', async () => {
    await using instances = await machines(kind)
    await instances.start(1, 1500)
    const error = await refusal(instances.start(2))
    expect(error.name).toBe('LeaseHeld')
    expect(error.message).toMatch(
      /^the database is in use by process 1 on elsewhere, since \S+Z, until \S+Z unless it renews: one process at a time may serve from it$/,
    )
  })

  test('goes to the next when it is not renewed until its end', async () => {
    await using instances = await machines(kind)
    await instances.lease(1, 200)
    await instances.start(2)
    expect(await instances.seen()).toMatchObject({ pid: 2, fence: 2 })
  })

  test('goes to the next at once when it was given back', async () => {
    await using instances = await machines(kind)
    const first = await instances.start(1)
    await first.store.close(undefined)
    await instances.start(2)
    expect(await instances.seen()).toMatchObject({ pid: 2 })
  })

  test('goes to one of many who want it at once', async () => {
    await using instances = await machines(kind)
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((pid) => instances.start(pid, 300)))
    const names = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? 'holds it' : outcome.reason.name,
    )
    expect(names.sort()).toEqual(['LeaseHeld', 'LeaseHeld', 'LeaseHeld', 'holds it'])
  })

  test('lost to another, lets nothing of the former holder be stored, and tells it', async () => {
    await using instances = await machines(kind)
    const paused = await instances.start(1)
    const [before, during] = [record(), record({ op: operation({ nonce: 9n }) })]
    await paused.store.addOperation(before)
    await expire(await instances.connected())

    const next = await instances.start(2)
    const write = await refusal(paused.store.addOperation(during))
    expect(write).toMatchObject({
      name: 'Unavailable',
      what: 'store write: another process has taken the database over',
    })
    await paused.lost
    expect(await next.store.operation(before)).toEqual(before)
    expect(await next.store.operation(during)).toBeUndefined()
    await next.store.addOperation(during)
  })

  test('lost to another, is noticed by the next renewal', async () => {
    await using instances = await machines(kind)
    const paused = await instances.start(1, 300)
    await expire(await instances.connected())
    await instances.lease(2)
    await paused.lost
  })

  test('that has ended is still that of its holder while nobody takes it', async () => {
    await using instances = await machines(kind)
    const late = await instances.start(1)
    await expire(await instances.connected())
    await late.store.addOperation(record())
    expect(await late.store.operation(record())).toEqual(record())
  })
})

/** The time of the lease ends, and its holder cannot renew it. */
async function expire(client: Client): Promise<void> {
  await client.execute('update lease set until = 1')
}
