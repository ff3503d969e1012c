import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { getAddress, numberToHex } from 'viem'
import { type Books, openBooks } from '../../src/paymaster/ledger/books.ts'
import type { Head, HeadChange } from '../../src/types/block.ts'
import type { Spent } from '../../src/types/paymaster/policy.ts'
import type { SponsorshipKey } from '../../src/types/paymaster/sponsorship.ts'
import { event } from '../store/builders.ts'
import { type OwnStore, ownStore } from '../support/paymasterStore.ts'
import { silentContext } from '../support/simulation.ts'
import { claim } from '../unit/paymaster/builders.ts'

const address = (n: number) => getAddress(numberToHex(n, { size: 20 }))
const hash = (n: number) => numberToHex(n, { size: 32 })
const key = (changes: Partial<SponsorshipKey> = {}): SponsorshipKey => ({
  ...{ chainId: 1, paymaster: address(100), sender: address(1), nonce: 0n },
  ...changes,
})
const reorgDepth = 3

/** A chain in memory; `branch` tells blocks of the same height apart. */
class Chain {
  blocks: Head[] = []
  paid = new Map<string, SponsorshipKey & { hash: `0x${string}`; actualGasCost: bigint }>()

  get head(): Head {
    const head = this.blocks.at(-1)
    if (head === undefined) throw new Error('no block')
    return head
  }
  mine(branch = 0, payment?: Parameters<typeof this.paid.set>[1]): Head {
    const number = this.blocks.length
    const block: Head = {
      ...{ number, hash: hash(1000 * branch + number + 1), parentHash: hash(0), timestamp: 100 * number },
      ...{ baseFeePerGas: 1n, gasLimit: 30_000_000n },
    }
    this.blocks.push(block)
    if (payment !== undefined) this.paid.set(block.hash, payment)
    return block
  }
  drop(count: number): Head[] {
    return this.blocks.splice(this.blocks.length - count).reverse()
  }
  async payments(from: number, to: number) {
    return this.blocks
      .filter(({ number }) => from <= number && number <= to)
      .flatMap(({ number, hash: blockHash }) => {
        const payment = this.paid.get(blockHash)
        return payment === undefined ? [] : [event({ ...payment, block: { number, hash: blockHash } })]
      })
  }
  async isCanonical(block: { hash: string }) {
    return this.blocks.some((own) => own.hash === block.hash)
  }
}

const promised: Spent = { usd: 1000n, native: 100n, count: 1 }
const paid: Spent = { usd: 600n, native: 60n, count: 1 }
const nothing: Spent = { usd: 0n, native: 0n, count: 0 }
const payment = { ...key(), hash: claim().userOpHash, actualGasCost: 60n }

let own: OwnStore
let chain: Chain
let books: Books
let follow: (change: HeadChange) => Promise<void>

async function open(): Promise<void> {
  const context = { ...silentContext(), store: own.store }
  books = await openBooks({ signal: new AbortController().signal }, context)
  follow = await books.follow({
    ...{ chainId: 1, reorgDepth, head: chain.head },
    payments: (from, to) => chain.payments(from, to),
    isCanonical: (block) => chain.isCanonical(block),
  })
}
/** Mines and tells the books. */
async function mine(...args: Parameters<Chain['mine']>): Promise<void> {
  const head = chain.mine(...args)
  await follow({ head, added: [head], removed: [] })
}
async function restart(): Promise<void> {
  await own.reopen()
  await open()
}

beforeEach(async () => {
  own = await ownStore()
  chain = new Chain()
  chain.mine()
  await open()
})
afterEach(() => own[Symbol.asyncDispose]())

test('a promise is kept in mind through a restart, and paid after it', async () => {
  await books.reserve(key(), claim())
  await restart()
  expect(books.ledger.spent(1)).toEqual(promised)
  await mine(0, payment)
  expect(books.ledger.spent(1)).toEqual(paid)
  await restart()
  expect(books.ledger.spent(1)).toEqual(paid)
})

test('what was paid while nobody looked is found', async () => {
  await books.reserve(key(), claim())
  chain.mine(0, payment)
  chain.mine()
  await restart()
  expect(books.ledger.spent(1)).toEqual(promised)
  await mine()
  expect(books.ledger.spent(1)).toEqual(paid)
})

describe('a reorg', () => {
  test('undoes a payment, and redoes it once', async () => {
    await books.reserve(key(), claim())
    await mine(0, payment)
    const removed = chain.drop(1)
    const head = chain.mine(1)
    await follow({ head, added: [head], removed })
    expect(books.ledger.spent(1)).toEqual(promised)
    await mine(1, payment)
    expect(books.ledger.spent(1)).toEqual(paid)
    await restart()
    expect(books.ledger.spent(1)).toEqual(paid)
  })
  test('that moves a payment to another block of the same step', async () => {
    await books.reserve(key(), claim())
    await mine(0, payment)
    const removed = chain.drop(1)
    const head = chain.mine(1, payment)
    await follow({ head, added: [head], removed })
    expect(books.ledger.spent(1)).toEqual(paid)
    expect(books.ledger.blocksOf(1)).toEqual([{ number: head.number, hash: head.hash }])
  })
  test('while nobody looked is found on start', async () => {
    await books.reserve(key(), claim())
    await mine(0, payment)
    await mine()
    chain.drop(2)
    chain.mine(1)
    chain.mine(1)
    await restart()
    expect(books.ledger.spent(1)).toEqual(promised)
    await mine(1, payment)
    expect(books.ledger.spent(1)).toEqual(paid)
  })
  test('while nobody looked, that keeps the payment', async () => {
    await books.reserve(key(), claim())
    await mine(0, payment)
    await mine()
    chain.drop(2)
    chain.mine(1, payment)
    chain.mine(1)
    await restart()
    await mine(1)
    expect(books.ledger.spent(1)).toEqual(paid)
    await restart()
    expect(books.ledger.spent(1)).toEqual(paid)
  })
})

describe('beyond the reorg depth', () => {
  test('a payment is final: it counts for ever and is watched no more', async () => {
    await books.reserve(key(), claim())
    await mine(0, payment)
    for (let block = 0; block < reorgDepth; block++) await mine()
    expect(books.ledger.blocksOf(1)).toEqual([])
    expect(await own.store.sponsorships(undefined)).toEqual([])
    await restart()
    expect(books.ledger.spent(1)).toEqual(paid)
  })
  test('an expired promise is released, not before', async () => {
    await books.reserve(key(), claim({ validUntil: 250 }))
    while (chain.head.number < 2 + reorgDepth) await mine()
    expect(books.ledger.spent(1)).toEqual(promised)
    await mine()
    expect(books.ledger.spent(1)).toEqual(nothing)
    await restart()
    expect(books.ledger.spent(1)).toEqual(nothing)
  })
})

test('a promise that was given stays one, although the same cannot be stored again', async () => {
  let isFull = false
  const saveLedger: typeof own.store.saveLedger = (write) =>
    isFull ? Promise.reject(new Error('disk full')) : own.store.saveLedger(write)
  const brittle = await openBooks(
    { signal: new AbortController().signal },
    { ...silentContext(), store: { ...own.store, saveLedger } },
  )
  await brittle.reserve(key(), claim())
  isFull = true
  const again = await brittle.reserve(key(), claim()).catch((error: Error) => error.message)
  expect(again).toBe('disk full')
  expect(brittle.ledger.spent(1)).toEqual(promised)
})

test('a promise that cannot be stored is none, and its signature must not leave', async () => {
  const store = { ...own.store, saveLedger: () => Promise.reject(new Error('disk full')) }
  const brittle = await openBooks({ signal: new AbortController().signal }, { ...silentContext(), store })
  const outcome = await brittle.reserve(key(), claim()).catch((error: Error) => error.message)
  expect(outcome).toBe('disk full')
  expect(brittle.ledger.spent(1)).toEqual(nothing)
})
