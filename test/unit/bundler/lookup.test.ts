import { describe, expect, test } from 'bun:test'
import type { Hash } from 'viem'
import { createLookup } from '../../../src/bundler/lookup.ts'
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
  ...store
}: {
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
          (method === 'eth_getTransactionByHash'
            ? { to: entryPoints['0.7'].address, input }
            : { ...receipt, blockHash: hash(8) }) as Result,
      }),
      async scan({ from, to }) {
        scans.push({ from, to })
        return scanned
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

  test('is refused beyond the look-up range', async () => {
    await expect(lookupOf().lookup.feeHistory('0.7', 11, 'latest')).rejects.toMatchObject({
      code: -32602,
      data: { path: 'params[1]', maximum: 10 },
    })
  })
})
