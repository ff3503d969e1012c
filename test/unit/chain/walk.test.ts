import { expect, test } from 'bun:test'
import { type Hash, numberToHex } from 'viem'
import { Unavailable } from '../../../src/base/errors.ts'
import { extend, newestRun, type Step, stepTo } from '../../../src/chain/walk.ts'
import type { BlockRef, Head } from '../../../src/types/block.ts'

/** Blocks from `from` to `to`; those above `fork` have another hash on each branch. */
function blocks(from: number, to: number, branch = { name: 0, fork: 0 }): Head[] {
  const hash = (number: number): Hash =>
    numberToHex(number * 1000 + (number > branch.fork ? branch.name : 0), { size: 32 })
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const number = from + index
    return {
      number,
      hash: hash(number),
      parentHash: hash(number - 1),
      timestamp: number,
      baseFeePerGas: 1n,
      gasLimit: 30_000_000n,
    }
  })
}

const refs = (heads: readonly Head[]): BlockRef[] => heads.map(({ number, hash }) => ({ number, hash }))
const numbers = (list: readonly BlockRef[]) => list.map(({ number }) => number)

/** A node that has `chain`, whose last block is the new head. */
async function step(known: readonly Head[], chain: readonly Head[], catchUp = 100): Promise<Step> {
  const head = chain.at(-1)
  if (head === undefined) throw new Error('a chain has blocks')
  return stepTo(head, refs(known), { catchUp }, async (from, to) =>
    chain.filter(({ number }) => number >= from && number <= to),
  )
}

test('the first head is the only block of the first step', async () => {
  const chain = blocks(1, 9)
  const [head] = chain.slice(-1)
  expect(await step([], chain)).toEqual({
    head: head as Head,
    added: chain.slice(-1),
    removed: [],
    skipped: 0,
    tooDeep: false,
  })
})

test('missed blocks are added, oldest first', async () => {
  const { added, removed } = await step(blocks(1, 5), blocks(1, 9))
  expect({ added, removed }).toEqual({ added: blocks(6, 9), removed: [] })
})

for (const depth of [1, 2, 3, 7, 40]) {
  test(`a reorg of depth ${depth} removes newest first and adds oldest first`, async () => {
    const fork = 60 - depth
    const other = blocks(1, 61, { name: 1, fork })
    const { added, removed, tooDeep } = await step(blocks(11, 60), other)
    expect({ added, removed, tooDeep }).toEqual({
      added: other.slice(fork),
      removed: refs(blocks(fork + 1, 60)).toReversed(),
      tooDeep: false,
    })
  })
}

test('a reorg to a lower head', async () => {
  const other = blocks(1, 8, { name: 1, fork: 6 })
  const { added, removed } = await step(blocks(1, 10), other)
  expect([added, numbers(removed)]).toEqual([other.slice(6), [10, 9, 8, 7]])
})

test('a fork below all that is known removes all of it', async () => {
  const other = blocks(1, 21, { name: 1, fork: 4 })
  const { added, removed, tooDeep } = await step(blocks(11, 20), other)
  expect([numbers(added), numbers(removed), tooDeep]).toEqual([
    [11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21],
    [20, 19, 18, 17, 16, 15, 14, 13, 12, 11],
    true,
  ])
})

test('too many missed blocks are skipped and ours stay', async () => {
  const result = await step(blocks(1, 5), blocks(1, 50), 10)
  expect([numbers(result.added), result.removed, result.skipped, result.tooDeep]).toEqual([
    [6, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50],
    [],
    35,
    false,
  ])
})

test('a reorg below skipped blocks is noticed', async () => {
  const other = blocks(1, 50, { name: 1, fork: 3 })
  const { added, removed } = await step(blocks(1, 5), other, 10)
  expect([numbers(added).slice(0, 4), numbers(removed)]).toEqual([
    [4, 5, 6, 41],
    [5, 4],
  ])
})

test('a chain that moves while it is read gives no step', async () => {
  const [head] = blocks(9, 9)
  const moving = stepTo(head as Head, refs(blocks(1, 5)), { catchUp: 100 }, async (from, to) =>
    blocks(from, to, { name: 1, fork: 0 }),
  )
  await expect(moving).rejects.toBeInstanceOf(Unavailable)
})

test('the known chain is replaced from the fork on and bounded to its newest blocks', async () => {
  const other = blocks(1, 11, { name: 1, fork: 8 })
  const known = refs(blocks(1, 10))
  expect(extend(known, await step(blocks(1, 10), other), 5)).toEqual(refs(other.slice(-5)))
})

test('the known chain has no gaps', async () => {
  const skipping = await step(blocks(1, 5), blocks(1, 50), 3)
  expect(numbers(extend(refs(blocks(1, 5)), skipping, 64))).toEqual([48, 49, 50])
  expect(numbers(newestRun(refs([...blocks(1, 2), ...blocks(7, 9)])))).toEqual([7, 8, 9])
  expect(newestRun([])).toEqual([])
})
