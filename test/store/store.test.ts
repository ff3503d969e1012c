import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { newFundingId } from '../../src/types/funding.ts'
import type { StorePort } from '../../src/types/ports/store.ts'
import type { OperationState } from '../../src/types/status.ts'
import { eip7702Factory } from '../../src/types/userop.ts'
import { databaseKinds } from '../support/database.ts'
import { address, chainId, event, hash, operation, receipt, record, transaction } from './builders.ts'
import { database, type TestDatabase } from './places.ts'

const places = databaseKinds.flatMap((kind) =>
  (['this thread', 'its own thread'] as const).map((thread) => ({ kind, thread })),
)

describe.each(places)('a store on a $kind in $thread', ({ kind, thread }) => {
  let place: TestDatabase
  let store: StorePort
  beforeAll(async () => {
    place = await database(kind)
    store = await place.open(thread)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  /** A chain of its own for each test, in the one database. */
  let chains = 5000
  const ownChain = () => chains++

  describe('operations', () => {
    test('come back whole', async () => {
      const added = record({ op: operation({ nonce: 2n ** 255n + 3n, maxFeePerGas: 2n ** 120n - 1n }) })
      await store.addOperation(added)
      expect(await store.operation({ chainId, hash: added.hash })).toEqual(added)
    })

    test.each([
      operation({
        version: '0.6',
        factory: address(0xf1),
        factoryData: '0xf00d',
        paymaster: address(0xb1),
        paymasterData: '0xbeef',
      }),
      operation({
        version: '0.7',
        factory: address(0xf1),
        factoryData: '0xf00d',
        paymaster: address(0xb1),
        paymasterVerificationGasLimit: 1n,
        paymasterPostOpGasLimit: 2n,
        paymasterData: '0xbeef',
      }),
      operation({
        version: '0.8',
        factory: eip7702Factory,
        eip7702Auth: {
          address: address(0xde),
          chainId,
          nonce: 4,
          r: hash(1),
          s: hash(2),
          yParity: 1,
        },
      }),
    ])('of every version come back whole: %#', async (op) => {
      const added = record({ op, validationLevel: undefined })
      await store.addOperation(added)
      expect(await store.operation({ chainId, hash: added.hash })).toEqual(added)
    })

    test('that are unknown, or of another chain, are not found', async () => {
      const added = record({ op: operation({ nonce: 77n }) })
      await store.addOperation(added)
      expect(await store.operation({ chainId, hash: hash(0xdead) })).toBeUndefined()
      expect(await store.operation({ chainId: ownChain(), hash: added.hash })).toBeUndefined()
    })

    test('are found whatever the case of the hash', async () => {
      const added = record({ op: operation({ nonce: 78n }) })
      await store.addOperation(added)
      const upper = `0x${added.hash.slice(2).toUpperCase()}` as const
      expect(await store.operation({ chainId, hash: upper })).toEqual(added)
    })

    test('sent again after they were dropped begin anew', async () => {
      const first = record({ op: operation({ nonce: 79n }) })
      const dropped = { kind: 'dropped', reason: { code: -32500, message: 'AA23' } } as const
      const again = { ...first, receivedAt: 9_000, timestamps: { received: 9_000 } }
      await store.addOperation({ ...first, state: dropped, timestamps: { received: 1, dropped: 2 } })
      await store.addOperation(again)
      expect(await store.operation({ chainId, hash: first.hash })).toEqual(again)
    })

    test.each<OperationState>([
      { kind: 'queued' },
      { kind: 'pending' },
      { kind: 'bundled', bundleId: 'b9' },
      { kind: 'submitted', bundleId: 'b9', transactionHash: hash(3) },
      { kind: 'included', success: false, transactionHash: hash(3), blockNumber: 9, blockHash: hash(4) },
      { kind: 'dropped', reason: { code: -32502, message: 'why', data: { opcode: 'TIMESTAMP' } } },
      { kind: 'expired', reason: { code: -32503, message: 'late' } },
      { kind: 'replaced', by: hash(5) },
    ])('change their state to $kind, with the time of it', async (state) => {
      const added = record({ chainId: ownChain(), timestamps: { received: 1, pending: 2, bundled: 3 } })
      const { hash, entryPoint, op } = added
      await store.addOperation(added)
      await store.changeStates([
        { chainId: added.chainId, entryPoint, hash, sender: op.sender, state, at: 1_800_000_000_000 },
      ])
      const timestamps = { ...added.timestamps, [state.kind]: 1_800_000_000_000 }
      expect(await store.operation(added)).toEqual({ ...added, state, timestamps })
    })

    test('that are unknown do not appear by a change of state', async () => {
      const { hash, entryPoint, op } = record({ op: operation({ nonce: 80n }) })
      await store.changeStates([
        { chainId, entryPoint, hash, sender: op.sender, state: { kind: 'pending' }, at: 1 },
      ])
      expect(await store.operation({ chainId, hash })).toBeUndefined()
    })

    test('written without waiting keep their order', async () => {
      const added = record({ chainId: ownChain() })
      const { hash, entryPoint, op } = added
      const change = { chainId: added.chainId, entryPoint, hash, sender: op.sender }
      await Promise.all([
        store.addOperation(added),
        store.changeStates([{ ...change, state: { kind: 'bundled', bundleId: 'b1' }, at: 11 }]),
        store.changeStates([{ ...change, state: { kind: 'pending' }, at: 12 }]),
      ])
      expect(await store.operation(added)).toEqual({
        ...added,
        state: { kind: 'pending' },
        timestamps: { received: 1_000, bundled: 11, pending: 12 },
      })
    })

    test('that are not final are the open ones, the earliest received first', async () => {
      const own = ownChain()
      const kept = (nonce: bigint, receivedAt: number, state: OperationState) =>
        record({ chainId: own, op: operation({ nonce }), receivedAt, state })
      const pending = kept(1n, 30, { kind: 'pending' })
      const queued = kept(2n, 10, { kind: 'queued' })
      const bundled = kept(3n, 20, { kind: 'bundled', bundleId: 'b' })
      const submitted = kept(4n, 20, { kind: 'submitted', bundleId: 'b', transactionHash: hash(1) })
      const final = [
        kept(5n, 1, { kind: 'replaced', by: hash(2) }),
        kept(6n, 1, { kind: 'expired', reason: { code: -32503, message: 'late' } }),
        kept(7n, 1, { kind: 'dropped', reason: { code: -32500, message: 'bad' } }),
        kept(8n, 1, {
          kind: 'included',
          success: true,
          transactionHash: hash(1),
          blockNumber: 1,
          blockHash: hash(1),
        }),
      ]
      for (const each of [pending, queued, bundled, ...final, submitted]) await store.addOperation(each)
      expect(await store.openOperations({ chainId: own })).toEqual([queued, bundled, submitted, pending])
    })
  })

  describe('the journal', () => {
    test('tells what was signed for top-ups, settled or not', async () => {
      const own = ownChain()
      const of = (bundleId: string, number: number, createdAt: number) =>
        transaction({ chainId: own, bundleId, hash: hash(number), createdAt })
      const [settled, open] = [newFundingId(), newFundingId()]
      const versions = [of(settled, 1, 100), of(settled, 2, 200), of(open, 3, 150)]
      const others = [of(open, 4, 99), of('fund', 5, 150), of('zzz', 6, 150)]
      for (const each of [...versions, ...others]) await store.journal({ transaction: each, operations: [] })
      await store.settleBundle({ chainId: own, bundleId: settled })
      const found = await store.fundings({ chainId: own, since: 100 })
      expect(found.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))).toEqual(versions)
    })

    test('holds every version of a bundle, oldest first, until it is settled', async () => {
      const own = ownChain()
      const first = transaction({ chainId: own, hash: hash(1), createdAt: 100 })
      const bumped = transaction({ chainId: own, hash: hash(2), createdAt: 200, maxFeePerGas: 5n })
      const cancel = transaction({ chainId: own, hash: hash(3), createdAt: 200, kind: 'cancel' })
      const other = transaction({ chainId: own, hash: hash(4), bundleId: 'b2', nonce: 8, createdAt: 150 })
      const operations = [hash(0xa), hash(0xb)]
      await store.journal({ transaction: first, operations })
      await store.journal({ transaction: bumped, operations })
      await store.journal({ transaction: cancel, operations })
      await store.journal({ transaction: other, operations: [hash(0xc)] })

      const otherBundle = { bundleId: 'b2', operations: [hash(0xc)], transactions: [other] }
      expect(await store.openBundles({ chainId: own })).toEqual([
        { bundleId: 'b1', operations, transactions: [first, bumped, cancel] },
        otherBundle,
      ])

      await store.settleBundle({ chainId: own, bundleId: 'b1' })
      expect(await store.openBundles({ chainId: own })).toEqual([otherBundle])
    })

    test('holds what a bundle is replaced up to, and the conditions that it is sent on', async () => {
      const own = ownChain()
      const terms = {
        operations: [hash(0xa)],
        ceiling: { maxFeePerGas: 2n ** 70n, maxPriorityFeePerGas: 0n },
        conditions: {
          knownAccounts: { [address(1)]: { [hash(1)]: hash(2), [hash(3)]: hash(0) } },
          timestampMax: 1_700_000_000,
        },
      }
      const only = transaction({ chainId: own, hash: hash(1) })
      await store.journal({ transaction: only, ...terms })
      const [open] = await store.openBundles({ chainId: own })
      expect(open).toEqual({ bundleId: only.bundleId, ...terms, transactions: [only] })
    })

    test('takes the same transaction twice as once', async () => {
      const own = ownChain()
      const once = { transaction: transaction({ chainId: own }), operations: [hash(0xa)] }
      await store.journal(once)
      await store.journal(once)
      expect(await store.openBundles({ chainId: own })).toEqual([
        { bundleId: 'b1', operations: [hash(0xa)], transactions: [once.transaction] },
      ])
    })

    test('does not reopen a settled bundle by a late repetition', async () => {
      const own = ownChain()
      const once = { transaction: transaction({ chainId: own }), operations: [hash(0xa)] }
      await store.journal(once)
      await store.settleBundle({ chainId: own, bundleId: 'b1' })
      await store.journal(once)
      expect(await store.openBundles({ chainId: own })).toEqual([])
    })
  })

  describe('the index', () => {
    const block = (number: number, fork = 0xb) => ({ number, hash: hash(fork * 0x1000 + number) })

    test('gives events and receipts of a block', async () => {
      const own = ownChain()
      const found = event({ chainId: own, block: block(10) })
      const unpaid = event({
        ...found,
        hash: hash(2),
        logIndex: 4,
        paymaster: undefined,
        success: false,
      })
      const read = receipt({ blockHash: block(10).hash })
      await store.indexBlock({ chainId: own, block: block(10), events: [found, unpaid], receipts: [read] })
      expect(await store.event(found)).toEqual(found)
      expect(await store.event(unpaid)).toEqual(unpaid)
      expect(await store.receipt({ chainId: own, transactionHash: read.transactionHash })).toEqual(read)
      expect(await store.event({ chainId: own, hash: hash(0xdead) })).toBeUndefined()
      expect(await store.receipt({ chainId: own, transactionHash: hash(0xdead) })).toBeUndefined()
    })

    test('lists the newest blocks, newest first', async () => {
      const own = ownChain()
      for (const number of [9, 10, 11])
        await store.indexBlock({ chainId: own, block: block(number), events: [], receipts: [] })
      expect(await store.indexedBlocks({ chainId: own, limit: 2 })).toEqual([block(11), block(10)])
    })

    test('lists no block that is 4096 older than the newest, and keeps its events', async () => {
      const own = ownChain()
      const old = event({ chainId: own, block: block(1) })
      await store.indexBlock({ chainId: own, block: block(1), events: [old], receipts: [] })
      await store.indexBlock({ chainId: own, block: block(2), events: [], receipts: [] })
      await store.indexBlock({ chainId: own, block: block(4097), events: [], receipts: [] })
      expect(await store.indexedBlocks({ chainId: own, limit: 10 })).toEqual([block(4097), block(2)])
      expect(await store.event(old)).toEqual(old)
    })

    test('gives the events of an EntryPoint between two blocks in the order of the chain', async () => {
      const own = ownChain()
      const at = (number: number, logIndex: number, version: '0.6' | '0.7' = '0.7') =>
        event({
          chainId: own,
          block: block(number),
          logIndex,
          hash: hash(number * 100 + logIndex),
          entryPoint: entryPoints[version].address,
        })
      const [a, b, c, d] = [at(10, 2), at(10, 11), at(11, 0), at(12, 5)]
      const events = new Map([
        [9, [at(9, 0)]],
        [10, [b, at(10, 3, '0.6'), a]],
        [11, [c]],
        [12, [d]],
        [13, [at(13, 0)]],
      ])
      for (const [number, found] of events)
        await store.indexBlock({ chainId: own, block: block(number), events: found, receipts: [] })
      const entryPoint = entryPoints['0.7'].address.toLowerCase() as `0x${string}`
      expect(await store.eventsBetween({ chainId: own, entryPoint, from: 10, to: 12 })).toEqual([a, b, c, d])
    })

    test('forgets all of a removed block, and nothing of others', async () => {
      const own = ownChain()
      const kept = event({ chainId: own, block: block(10), hash: hash(1), transactionHash: hash(0x71) })
      const gone = event({ chainId: own, block: block(11), hash: hash(2), transactionHash: hash(0x72) })
      const receiptOf = ({ transactionHash, block }: typeof kept) =>
        receipt({ transactionHash, blockHash: block.hash, blockNumber: block.number })
      for (const each of [kept, gone])
        await store.indexBlock({
          chainId: own,
          block: each.block,
          events: [each],
          receipts: [receiptOf(each)],
        })
      await store.removeBlocks({ chainId: own, blocks: [block(11), block(12)] })
      expect(await store.indexedBlocks({ chainId: own, limit: 10 })).toEqual([block(10)])
      expect(await store.event(gone)).toBeUndefined()
      expect(await store.receipt({ chainId: own, transactionHash: hash(0x72) })).toBeUndefined()
      expect(await store.event(kept)).toEqual(kept)
      expect(await store.receipt({ chainId: own, transactionHash: hash(0x71) })).toEqual(receiptOf(kept))
    })

    test('knows one block of a number: the one indexed last', async () => {
      const own = ownChain()
      const before = event({ chainId: own, block: block(10), hash: hash(1) })
      const after = event({ chainId: own, block: block(10, 0xc), hash: hash(2) })
      await store.indexBlock({ chainId: own, block: before.block, events: [before], receipts: [receipt()] })
      await store.indexBlock({ chainId: own, block: after.block, events: [after], receipts: [] })
      await store.removeBlocks({ chainId: own, blocks: [before.block] })
      expect(await store.indexedBlocks({ chainId: own, limit: 10 })).toEqual([after.block])
      expect(await store.event(before)).toBeUndefined()
      expect(await store.receipt({ chainId: own, transactionHash: hash(0x71) })).toBeUndefined()
      expect(await store.event(after)).toEqual(after)
    })

    test('takes the same block twice as once', async () => {
      const own = ownChain()
      const found = event({ chainId: own, block: block(10) })
      const indexed = { chainId: own, block: block(10), events: [found], receipts: [receipt()] }
      await store.indexBlock(indexed)
      await store.indexBlock(indexed)
      const { entryPoint } = found
      expect(await store.eventsBetween({ chainId: own, entryPoint, from: 0, to: 99 })).toEqual([found])
    })

    test('moves a receipt with its transaction to another block', async () => {
      const own = ownChain()
      const moved = receipt({ blockHash: block(11, 0xc).hash, blockNumber: 11 })
      await store.indexBlock({ chainId: own, block: block(10), events: [], receipts: [receipt()] })
      await store.indexBlock({ chainId: own, block: block(11, 0xc), events: [], receipts: [moved] })
      await store.removeBlocks({ chainId: own, blocks: [block(10)] })
      expect(await store.receipt({ chainId: own, transactionHash: moved.transactionHash })).toEqual(moved)
    })
  })

  test('reputation is what was saved last for the chain', async () => {
    const own = ownChain()
    const of = (number: number, opsSeen: number) => ({
      chainId: own,
      entryPoint: entryPoints['0.8'].address,
      address: address(number),
      opsSeen,
      opsIncluded: 1,
    })
    const other = { ...of(1, 99), chainId: ownChain() }
    await store.saveReputation({ chainId: other.chainId, records: [other] })
    await store.saveReputation({ chainId: own, records: [of(1, 10), of(2, 20)] })
    await store.saveReputation({ chainId: own, records: [of(2, 21), of(3, 30)] })
    expect(await store.reputation({ chainId: own })).toEqual([of(2, 21), of(3, 30)])
    await store.saveReputation({ chainId: own, records: [] })
    expect(await store.reputation({ chainId: own })).toEqual([])
    expect(await store.reputation({ chainId: other.chainId })).toEqual([other])
  })

  describe('what no single answer of a server could carry comes whole', () => {
    test('open operations', async () => {
      const own = ownChain()
      const callData = `0x${'ab'.repeat(16_000)}` as const
      const all = Array.from({ length: 330 }, (_, index) =>
        record({ chainId: own, op: operation({ nonce: BigInt(index), callData }), receivedAt: index >> 2 }),
      )
      await Promise.all(all.map(store.addOperation))
      expect(await store.openOperations({ chainId: own })).toEqual(all)
    })

    test('open bundles', async () => {
      const own = ownChain()
      const raw = `0x${'ab'.repeat(40_000)}` as const
      const all = Array.from({ length: 130 }, (_, index) => ({
        bundleId: `b${index}`,
        operations: [hash(index)],
        transactions: [transaction({ chainId: own, bundleId: `b${index}`, hash: hash(index), raw })],
      }))
      for (const { operations, transactions } of all)
        for (const each of transactions) await store.journal({ transaction: each, operations })
      expect(await store.openBundles({ chainId: own })).toEqual(all)
    })

    test('events', async () => {
      const own = ownChain()
      const all = [10, 11].flatMap((number) =>
        Array.from({ length: 2_100 }, (_, logIndex) =>
          event({
            chainId: own,
            block: { number, hash: hash(number) },
            logIndex,
            hash: hash(number * 10_000 + logIndex),
          }),
        ),
      )
      for (const number of [10, 11])
        await store.indexBlock({
          ...{ chainId: own, block: { number, hash: hash(number) }, receipts: [] },
          events: all.filter(({ block }) => block.number === number),
        })
      const { entryPoint } = event()
      expect(await store.eventsBetween({ chainId: own, entryPoint, from: 10, to: 11 })).toEqual(all)
    })
  })

  test('it answers a ping', async () => {
    expect(await store.ping(undefined)).toBeUndefined()
  })

  test('reopened it has kept everything', async () => {
    await using reopened = await database(kind)
    const operations = [hash(0xa)]
    const found = event({ chainId })
    const first = await reopened.open(thread)
    await first.addOperation(record())
    await first.journal({ transaction: transaction(), operations })
    await first.indexBlock({ chainId, block: found.block, events: [found], receipts: [receipt()] })
    await first.close(undefined)

    const second = await reopened.open(thread)
    expect(await second.openOperations({ chainId })).toEqual([record()])
    expect(await second.openBundles({ chainId })).toEqual([
      { bundleId: 'b1', operations, transactions: [transaction()] },
    ])
    expect(await second.event(found)).toEqual(found)
    expect(await second.receipt({ chainId, transactionHash: hash(0x71) })).toEqual(receipt())
    expect(await second.indexedBlocks({ chainId, limit: 1 })).toEqual([found.block])
  })
})
