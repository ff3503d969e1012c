import { describe, expect, test } from 'bun:test'
import type { Hash } from 'viem'
import { createLookup } from '../../../src/bundler/lookup.ts'
import { NodeError } from '../../../src/chain/node-error.ts'
import { encodeHandleOps, entryPoints } from '../../../src/types/entrypoint.ts'
import type { IndexedEvent, RawReceipt, StorePort } from '../../../src/types/ports/store.ts'
import type { OperationState } from '../../../src/types/status.ts'
import { address, hash, hashOf, userOp } from '../../support/builders.ts'
import { fakeNode } from '../../support/fakeBundler.ts'
import { admit, pool } from '../pool/support.ts'
import { chainId, fakeHeads, fakeStore, head, poolsOf, record, recordedStates } from './support.ts'

const op = userOp()
const asked = hashOf(op)
const transactionHash = hash(0x7a)
const block = { number: 8, hash: hash(8) }
const included: OperationState = {
  ...{ kind: 'included', success: true, transactionHash },
  ...{ blockNumber: 8, blockHash: hash(8) },
}
const event: IndexedEvent = {
  ...{ chainId, transactionHash, block, logIndex: 0, paymaster: undefined, success: true },
  ...{ entryPoint: entryPoints['0.7'].address, hash: asked, sender: op.sender, nonce: op.nonce },
  ...{ actualGasCost: 30n, actualGasUsed: 10n },
}
const receipt: RawReceipt = { transactionHash, blockHash: hash(8), blockNumber: '0x8', logs: [] }
/** The index holds every block that may be asked about. */
const everyBlock = async () => Array.from({ length: 10 }, (_, n) => ({ number: 10 - n, hash: hash(10 - n) }))

function lookupOf({
  own = pool(),
  orphans = [],
  scanned = [],
  older,
  newest = 10,
  request,
  scan,
  ...store
}: {
  request?: (method: string) => Promise<unknown>
  scan?: () => Promise<readonly IndexedEvent[]>
  own?: ReturnType<typeof pool>
  orphans?: readonly Hash[]
  scanned?: readonly IndexedEvent[]
  older?: (query: { hash: Hash; before: number }) => Promise<IndexedEvent | undefined>
  newest?: number
} & Partial<StorePort> = {}) {
  const all = fakeStore(store)
  const { states } = recordedStates(all)
  const scans: { from: number; to: number }[] = []
  const input = encodeHandleOps('0.7', [op], address(9))
  const lookup = createLookup(
    { chainId, receiptLookupRange: 10 },
    {
      ...{
        states,
        store: all,
        pools: poolsOf(own),
        heads: fakeHeads(head(newest)),
        orphans: new Set(orphans),
      },
      node: fakeNode({
        request: async <Result>(method: string) =>
          (request !== undefined
            ? await request(method)
            : method === 'eth_getTransactionByHash'
              ? { to: entryPoints['0.7'].address, input }
              : { ...receipt, blockHash: hash(8) }) as Result,
      }),
      async scan({ from, to }) {
        scans.push({ from, to })
        return scan === undefined ? scanned : scan()
      },
      older,
      logsOfOperation: () => [],
      revertReason: () => undefined,
    },
  )
  return { lookup, scans, states }
}

describe('an operation by its hash', () => {
  const entryPoint = entryPoints['0.7'].address

  test('in the pool has no place yet', async () => {
    const own = pool()
    admit(own, op)
    const found = await lookupOf({ own }).lookup.find(asked)
    expect(found).toEqual({ op, entryPoint, inclusion: undefined })
  })

  test('included in a block that a reorg removed has no place', async () => {
    if (included.kind !== 'included') throw new Error('it is included')
    const { lookup } = lookupOf({
      operation: async () => record(op, { state: included }),
      orphans: [included.blockHash],
    })
    expect((await lookup.find(asked))?.inclusion).toBeUndefined()
  })

  test('included has the place that is stored', async () => {
    const { lookup } = lookupOf({ operation: async () => record(op, { state: included }) })
    expect(await lookup.find(asked)).toEqual({ op, entryPoint, inclusion: { transactionHash, block } })
  })

  test("of a stranger's bundle is read from its transaction", async () => {
    const { lookup } = lookupOf({ event: async () => event })
    expect(await lookup.find(asked)).toMatchObject({
      op: { sender: op.sender, nonce: op.nonce },
      inclusion: { transactionHash, block },
    })
  })

  test('that nobody knows is not looked for on the node when the index is complete', async () => {
    const { lookup, scans } = lookupOf({ indexedBlocks: everyBlock })
    expect(await lookup.find(asked)).toBeUndefined()
    expect(scans).toEqual([])
  })

  test('from before the index is looked for on the node, within the range', async () => {
    const { lookup, scans } = lookupOf({ scanned: [event] })
    expect(await lookup.find(asked)).toMatchObject({ inclusion: { transactionHash } })
    expect(scans).toEqual([{ from: 1, to: 10 }])
  })
})

describe('strangers', () => {
  test('who ask for hashes that nobody knows wait for each other, and a few hundred of them at most', async () => {
    const gate = Promise.withResolvers<readonly IndexedEvent[]>()
    let scanning = 0
    const { lookup } = lookupOf({
      scan() {
        scanning += 1
        return gate.promise
      },
    })
    const asking = Array.from({ length: 300 }, (_, index) => lookup.find(hash(index + 1000)))
    const refused = Promise.allSettled(asking).then((answers) =>
      answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])),
    )
    // The last one is refused at once; by then the first ones scan.
    await expect(asking.at(-1)).rejects.toMatchObject({ code: -32005, data: { retryAfterMs: 1000 } })
    expect(scanning).toBe(8)
    gate.resolve([])
    expect(await refused).toHaveLength(300 - 8 - 256)
  })

  test('do not make the store tell its blocks again for every hash', async () => {
    let reads = 0
    const { lookup } = lookupOf({
      indexedBlocks() {
        reads += 1
        return everyBlock()
      },
    })
    await lookup.find(asked)
    for (let index = 0; index < 20; index++) await lookup.find(hash(index + 1000))
    expect(reads).toBe(1)
  })

  test('are told from those who ask for what is in the pool', async () => {
    const own = pool()
    admit(own, op)
    const { lookup } = lookupOf({ own, scan: () => new Promise(() => {}) })
    for (let index = 0; index < 300; index++) lookup.find(hash(index + 1000)).catch(() => {})
    expect(await lookup.find(asked)).toMatchObject({ inclusion: undefined })
    expect(await lookup.receipt(asked)).toBeUndefined()
  })

  test('who ask for fee histories wait for each other, too', async () => {
    const gate = Promise.withResolvers<readonly IndexedEvent[]>()
    const { lookup, scans } = lookupOf({ scan: () => gate.promise })
    const asking = Array.from({ length: 40 }, () => lookup.feeHistory('0.7', 5, 'latest'))
    const settled = Promise.allSettled(asking)
    await expect(asking.at(-1)).rejects.toMatchObject({ code: -32005, data: { retryAfterMs: 1000 } })
    expect(scans).toHaveLength(2)
    gate.resolve([])
    expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(40 - 2 - 32)
  })
})

describe('an operation from before the look-up range', () => {
  test('is looked for further back', async () => {
    const asks: unknown[] = []
    const { lookup } = lookupOf({
      newest: 50,
      async older(query) {
        asks.push(query)
        return event
      },
    })
    expect(await lookup.find(asked)).toMatchObject({ inclusion: { transactionHash, block } })
    expect(asks).toEqual([{ hash: asked, before: 40 }])
    expect(await lookup.receipt(asked)).toMatchObject({ event, receipt })
  })

  test('is not, when there is nothing further back', async () => {
    const { lookup } = lookupOf({ newest: 9, older: () => Promise.reject(new Error('asked')) })
    expect(await lookup.find(asked)).toBeUndefined()
  })

  test('is not, when the index has it', async () => {
    const { lookup } = lookupOf({
      newest: 50,
      event: async () => event,
      older: () => Promise.reject(new Error('asked')),
    })
    expect(await lookup.find(asked)).toMatchObject({ inclusion: { transactionHash } })
  })
})

describe('a receipt', () => {
  test('counts confirmations from its block on', async () => {
    const { lookup } = lookupOf({ event: async () => event, receipt: async () => receipt })
    expect(await lookup.receipt(asked)).toEqual({
      event,
      receipt,
      logs: [],
      confirmations: 3,
      reason: undefined,
    })
  })

  test('of a block that a reorg removed is none', async () => {
    const { lookup } = lookupOf({ event: async () => event, orphans: [hash(8)] })
    expect(await lookup.receipt(asked)).toBeUndefined()
  })

  test('whose transaction has moved to another block is none', async () => {
    const moved = { ...receipt, blockHash: hash(9) }
    const { lookup } = lookupOf({ event: async () => event, receipt: async () => moved })
    expect(await lookup.receipt(asked)).toBeUndefined()
  })
})

test('a status shows what the store does not have yet', async () => {
  const { promise } = Promise.withResolvers<void>()
  const { lookup, states } = lookupOf({ operation: async () => record(op), changeStates: () => promise })
  states.apply('0.7', [{ hash: asked, sender: op.sender, state: { kind: 'bundled', bundleId: 'first' } }])
  expect(await lookup.status(asked)).toMatchObject({
    state: { kind: 'bundled', bundleId: 'first' },
    at: 1000,
    timestamps: { received: 0, pending: 0, bundled: 1000 },
  })
})

describe('the fee history', () => {
  test('has an entry for each operation of the range', async () => {
    const ranges: unknown[] = []
    const { lookup } = lookupOf({
      indexedBlocks: everyBlock,
      async eventsBetween({ from, to }) {
        ranges.push([from, to])
        return [event]
      },
    })
    expect(await lookup.feeHistory('0.7', 3, 'latest')).toEqual({
      actualGasPrice: [3n],
      maxFeePerGas: [op.maxFeePerGas],
      maxPriorityFeePerGas: [op.maxPriorityFeePerGas],
    })
    expect(ranges).toEqual([[8, 10]])
  })

  test('reads its transactions in turns of a hundred', async () => {
    let open = 0
    let most = 0
    const { lookup } = lookupOf({
      scanned: Array.from({ length: 250 }, (_, index) => ({ ...event, transactionHash: hash(index) })),
      async request() {
        open += 1
        most = Math.max(most, open)
        await Promise.resolve()
        open -= 1
        return null
      },
    })
    expect((await lookup.feeHistory('0.7', 10, 'latest')).maxFeePerGas).toEqual([])
    expect(most).toBe(100)
  })

  test('up to a block that the node does not tell, such as the finalized one of a chain without, is a wrong question', async () => {
    for (const request of [
      async () => null,
      () => Promise.reject(new NodeError(-32000, 'finalized block not found')),
      () => Promise.reject(new NodeError(-39001, 'Unknown block')),
    ]) {
      await expect(lookupOf({ request }).lookup.feeHistory('0.7', 3, 'finalized')).rejects.toMatchObject({
        code: -32602,
        message: 'no block finalized',
        data: { path: 'params[2]' },
      })
    }
  })

  test('is refused beyond the look-up range', async () => {
    await expect(lookupOf().lookup.feeHistory('0.7', 11, 'latest')).rejects.toMatchObject({
      code: -32602,
      data: { path: 'params[1]', maximum: 10 },
    })
  })
})
