import { describe, expect, test } from 'bun:test'
import type { Client } from '@libsql/client'
import { connect } from '../../src/store/client.ts'
import type { RetentionOptions } from '../../src/store/retention.ts'
import { createStore } from '../../src/store/store.ts'
import { newFundingId } from '../../src/types/funding.ts'
import type { IndexedBlock, StorePort } from '../../src/types/ports/store.ts'
import type { OperationState } from '../../src/types/status.ts'
import { type DatabaseKind, databaseKinds } from '../support/database.ts'
import { policy } from '../unit/paymaster/builders.ts'
import { chainId, event, hash, operation, receipt, record, transaction } from './builders.ts'
import { database, keepAll, lonely, silent } from './places.ts'

const hour = 3_600_000
const reorgDepth = 3
const nothing = { operations: 0, events: 0, receipts: 0, bundles: 0, audit: 0, deletedPolicies: 0 }

/** A store with its own idea of how long history is kept. */
async function storeKeeping(kind: DatabaseKind, retention: Partial<RetentionOptions>) {
  const place = await database(kind)
  const client = await connect({ url: place.url, authToken: undefined })
  const options = { ...lonely, retention: { ...keepAll, reorgDepth, ...retention } }
  const store = await createStore(client, options, silent)
  return {
    store,
    client,
    async [Symbol.asyncDispose]() {
      await store.close(undefined)
      await place[Symbol.asyncDispose]()
    },
  }
}

const block = (number: number) => ({ number, hash: hash(0xb000 + number) })

/** A block with an operation of ours, which `number` tells apart from others. */
const inclusion = (number: number): IndexedBlock => ({
  chainId,
  block: block(number),
  events: [event({ hash: included(number).hash, block: block(number), transactionHash: hash(number) })],
  receipts: [receipt({ transactionHash: hash(number), blockHash: block(number).hash, blockNumber: number })],
})

function included(number: number, receivedAt = 0) {
  const state: OperationState = {
    ...{ kind: 'included', success: true, transactionHash: hash(number) },
    ...{ blockNumber: number, blockHash: block(number).hash },
  }
  return record({ op: operation({ nonce: BigInt(number) }), receivedAt, state })
}

function ended(nonce: bigint, receivedAt: number) {
  const reason = { code: -32500, message: 'AA23 reverted' }
  return record({ op: operation({ nonce }), receivedAt, state: { kind: 'dropped', reason } })
}

const isKept = async (store: StorePort, number: number) => [
  (await store.operation(included(number))) !== undefined,
  (await store.event(included(number))) !== undefined,
  (await store.receipt({ chainId, transactionHash: hash(number) })) !== undefined,
]

describe.each(databaseKinds)('history on a %s', (kind) => {
  test('that has ended long enough ago is forgotten, and nothing younger', async () => {
    await using place = await storeKeeping(kind, { age: hour })
    const { store } = place
    await store.addOperation(ended(1n, 0))
    await store.addOperation(ended(2n, 1))
    expect((await store.prune({ now: hour + 1 })).rows).toEqual({ ...nothing, operations: 1 })
    expect(await store.operation(ended(1n, 0))).toBeUndefined()
    expect(await store.operation(ended(2n, 1))).toEqual(ended(2n, 1))
  })

  test('of who changed what is kept longer, and then forgotten', async () => {
    await using place = await storeKeeping(kind, { age: 0, auditAge: hour })
    const { store } = place
    const entry = (at: number) => ({ at, tenantId: 't1', keyId: 'k1', action: 'policy.add', subject: '1' })
    for (const at of [0, 1]) await store.audit({ entry: entry(at) })
    expect((await store.prune({ now: hour + 1 })).rows).toEqual({ ...nothing, audit: 1 })
    expect(await store.auditLog({ tenantId: 't1', limit: 9 })).toEqual([entry(1)])
  })

  test('of a policy that was deleted goes with its list, and of no other', async () => {
    await using place = await storeKeeping(kind, { age: hour })
    const { store } = place
    const at = (time: number) => ({ at: time, tenantId: 't1', keyId: 'k1', action: 'x', subject: '1' })
    const sender = operation().sender
    const spent = { usd: 1n, native: 1n, count: 1 }
    for (const id of [1, 2, 3]) {
      await store.putPolicy({ policy: policy({ id, tenantId: 't1' }), audit: at(0) })
      await store.addToWhitelist({
        ...{ place: { tenantId: 't1', policyId: id }, addresses: [sender], audit: at(0) },
      })
    }
    await store.addToWhitelist({
      ...{ place: { tenantId: 't1', policyId: undefined }, addresses: [sender], audit: at(0) },
    })
    const totals = [1, 2, 3].map((policyId) => ({ policyId, sender, spent }))
    await store.saveLedger({ put: [], remove: [], totals })
    await store.deletePolicy({ id: 1, audit: at(0) })
    await store.deletePolicy({ id: 2, audit: at(1) })
    expect((await store.prune({ now: hour + 1 })).rows).toEqual({ ...nothing, deletedPolicies: 3 })
    expect((await store.totals(undefined)).map(({ policyId }) => policyId)).toEqual([2, 3])
    const lists = [undefined, 1, 2, 3].map((policyId) =>
      store.whitelist({ place: { tenantId: 't1', policyId } }),
    )
    expect(await Promise.all(lists)).toEqual([[sender], [], [sender], [sender]])
    expect((await store.policies(undefined)).highestId).toBe(3)
  })

  test('of open operations stays, however old they are', async () => {
    await using place = await storeKeeping(kind, { age: hour, size: 0 })
    const { store } = place
    await store.addOperation(record({ receivedAt: 0 }))
    expect((await store.prune({ now: 99 * hour })).rows).toEqual(nothing)
    expect(await store.openOperations({ chainId })).toEqual([record({ receivedAt: 0 })])
  })

  test('of a block goes with its events, receipts and operations, when all are old enough', async () => {
    await using place = await storeKeeping(kind, { age: hour })
    const { store } = place
    for (const number of [1, 2]) {
      await store.addOperation(included(number))
      await store.indexBlock(inclusion(number))
    }
    await store.prune({ now: 0 })
    await store.indexBlock(inclusion(9))
    await store.addOperation(included(9))
    expect((await store.prune({ now: hour + 1 })).rows).toEqual({
      ...nothing,
      ...{ operations: 2, events: 2, receipts: 2 },
    })
    expect(await isKept(store, 2)).toEqual([false, false, false])
    expect(await isKept(store, 9)).toEqual([true, true, true])
    expect(await store.indexedBlocks({ chainId, limit: 9 })).toEqual([block(9)])
  })

  test('that a reorg may undo stays, however old and large it is', async () => {
    await using place = await storeKeeping(kind, { age: hour, size: 0 })
    const { store } = place
    for (const number of [6, 7]) {
      await store.addOperation(included(number))
      await store.indexBlock(inclusion(number))
    }
    await store.indexBlock(inclusion(9))
    await store.prune({ now: 0 })
    await store.prune({ now: 99 * hour })
    expect(await isKept(store, 6)).toEqual([false, false, false])
    expect(await isKept(store, 7)).toEqual([true, true, true])
    expect(await store.indexedBlocks({ chainId, limit: 9 })).toEqual([block(9), block(7)])
  })

  test('of a chain that is served no longer goes as well', async () => {
    await using place = await storeKeeping(kind, { age: hour })
    const { store } = place
    const gone = record({ chainId: 5, receivedAt: 0, state: { kind: 'replaced', by: hash(1) } })
    await store.addOperation(gone)
    expect((await store.prune({ now: 2 * hour })).rows).toEqual({ ...nothing, operations: 1 })
  })

  test('of settled bundles goes with all their versions; open bundles stay', async () => {
    await using place = await storeKeeping(kind, { age: hour })
    const { store, client } = place
    const journal = (bundleId: string, number: number, createdAt: number) =>
      store.journal({
        transaction: transaction({ bundleId, hash: hash(number), createdAt }),
        operations: [hash(0xa)],
      })
    await journal('open', 1, 0)
    await journal('old', 2, 0)
    await journal('old', 3, 1)
    await journal('bumped lately', 4, 0)
    await journal('bumped lately', 5, hour)
    for (const bundleId of ['old', 'bumped lately']) await store.settleBundle({ chainId, bundleId })
    expect((await store.prune({ now: hour + 2 })).rows).toEqual({ ...nothing, bundles: 1 })
    expect(await bundlesOf(client)).toEqual(['bumped lately', 'bumped lately', 'open'])
    expect((await store.openBundles({ chainId })).map(({ bundleId }) => bundleId)).toEqual(['open'])
  })

  test('of a top-up stays for a day, whatever the age and size: it counts towards the limit', async () => {
    await using place = await storeKeeping(kind, { age: hour, size: 0 })
    const { store } = place
    const bundleId = newFundingId()
    const signed = transaction({ bundleId, createdAt: 0 })
    await store.journal({ transaction: signed, operations: [] })
    await store.settleBundle({ chainId, bundleId })
    await store.prune({ now: 24 * hour })
    expect(await store.fundings({ chainId, since: 0 })).toEqual([signed])
    await store.prune({ now: 24 * hour + 1 })
    expect(await store.fundings({ chainId, since: 0 })).toEqual([])
  })

  test('beyond the size goes the oldest first, until the database is small enough', async () => {
    await using place = await storeKeeping(kind, { size: 300_000 })
    const { store } = place
    const many = Array.from({ length: 600 }, (_, index) => ended(BigInt(index), index))
    await Promise.all(many.map(store.addOperation))
    const { rows, usedBytes } = await store.prune({ now: 600 })
    expect(usedBytes).toBeLessThanOrEqual(300_000)
    expect(rows.operations).toBeGreaterThan(0)
    const kept = await Promise.all(many.map(async (each) => (await store.operation(each)) !== undefined))
    expect(kept).toEqual(many.map((_, index) => index >= rows.operations))
    expect(kept.at(-1)).toBe(true)
  })
})

test('a file gives the space back, all but a MiB', async () => {
  await using place = await storeKeeping('file', { age: hour })
  const { store } = place
  await Promise.all(Array.from({ length: 5_000 }, (_, index) => store.addOperation(ended(BigInt(index), 0))))
  const before = await store.prune({ now: 0 })
  const { rows, bytes, usedBytes } = await store.prune({ now: 2 * hour })
  expect(rows.operations).toBe(5_000)
  expect(bytes).toBeLessThan(before.bytes / 2)
  expect(bytes - usedBytes).toBeLessThanOrEqual(2 ** 20)
})

async function bundlesOf(client: Client): Promise<string[]> {
  const { rows } = await client.execute('select bundle_id from bundle_transactions order by bundle_id')
  return rows.map((row) => String(row.bundle_id))
}
