import { expect, test } from 'bun:test'
import type { UserOperation } from '../../../src/types/userop.ts'
import { effectivePriorityFee } from '../../../src/types/userop-cost.ts'
import { address, candidate, hash, userOp } from '../../support/builders.ts'
import { pool, select } from './support.ts'

const size = 50_000
/** Looks at operations that some balanced trees need; to look at each operation once would take more. */
const perChange = 3000
/** For a bundle of 100. */
const perBundle = 15_000

/** Looks at fees and nonces, without which nothing is compared or scanned: the measure of work. */
let looks = 0

function counted(op: UserOperation): UserOperation {
  const { maxFeePerGas, maxPriorityFeePerGas, nonce } = op
  const look = <Value>(value: Value) => ({
    enumerable: true,
    get: () => {
      looks++
      return value
    },
  })
  return Object.defineProperties(
    { ...op },
    {
      maxFeePerGas: look(maxFeePerGas),
      maxPriorityFeePerGas: look(maxPriorityFeePerGas),
      nonce: look(nonce),
    },
  )
}

/** A full pool with operations of as many senders; the costliest admission is told. */
function fill(
  size: number,
  fees: (index: number) => Pick<UserOperation, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
) {
  const own = pool({ maxPoolSize: size })
  const ops: UserOperation[] = []
  let costliest = 0
  for (let index = 0; index < size; index++) {
    const op = userOp({ sender: address(index + 1), ...fees(index) })
    ops.push(op)
    looks = 0
    own.admit(candidate(counted(op), { hash: hash(index + 1) }), 0)
    costliest = Math.max(costliest, looks)
  }
  return { own, ops, costliest }
}

function bestOf(ops: readonly UserOperation[], baseFee: bigint, count: number): bigint[] {
  const fees = ops.map((op) => effectivePriorityFee(op, baseFee)).filter((fee) => fee >= 0n)
  return fees.sort((a, b) => Number(b - a)).slice(0, count)
}

test('the best of 50,000 are found at any base fee, without looking at most of them', () => {
  // High priorities go with low maxima, so neither fee alone leads to the best.
  const { own, ops, costliest } = fill(size, (index) => {
    const rank = BigInt((index * 7919) % size)
    return { maxFeePerGas: 50_000n + rank, maxPriorityFeePerGas: 50_000n - rank }
  })
  expect(own.size).toBe(size)
  expect(costliest).toBeLessThan(perChange)
  for (const baseFee of [0n, 1000n, 50_000n, 75_000n, 99_990n]) {
    looks = 0
    const chosen = select(own, { baseFee, maxOperations: 100 })
    expect(looks).toBeLessThan(perBundle)
    expect(chosen.map((op) => effectivePriorityFee(op, baseFee))).toEqual(bestOf(ops, baseFee, 100))
  }
})

test('so are the oldest of those with equal fees', () => {
  const { own, ops } = fill(20_000, () => ({ maxFeePerGas: 100n, maxPriorityFeePerGas: 10n }))
  for (const baseFee of [0n, 95n]) {
    looks = 0
    const chosen = select(own, { baseFee, maxOperations: 100 })
    expect(looks).toBeLessThan(perBundle)
    expect(chosen.map((op) => op.sender)).toEqual(ops.slice(0, 100).map((op) => op.sender))
  }
})

test('changes stay cheap in a full pool', () => {
  const size = 8000
  const { own } = fill(size, (index) => ({
    maxFeePerGas: BigInt(1000 + index),
    maxPriorityFeePerGas: BigInt(1000 + index),
  }))
  select(own, { baseFee: 500n })
  const work = (change: () => void) => {
    looks = 0
    change()
    return looks
  }
  const newcomer = candidate(
    counted(userOp({ sender: address(size + 1), maxFeePerGas: 9999n, maxPriorityFeePerGas: 9999n })),
    { hash: hash(size + 1) },
  )
  expect(work(() => own.admit(newcomer, 0))).toBeLessThan(perChange)
  expect(own.get(hash(1))).toBeUndefined()
  const next = hash(700)
  expect(work(() => own.bundle([next], 'bundle'))).toBeLessThan(perChange)
  expect(work(() => own.release([next]))).toBeLessThan(perChange)
  expect(work(() => own.failed(next, { code: 0, message: '' }, 0))).toBeLessThan(perChange)
  expect(work(() => own.drop(next, { code: 0, message: '' }))).toBeLessThan(perChange)
  const used = { hash: hash(800), sender: address(800), nonce: 0n }
  expect(work(() => own.mined([used], { blockNumber: 2 }))).toBeLessThan(perChange)
  expect(work(() => own.tick({ now: 1000, timestamp: 1000, blockNumber: 2 }))).toBe(0)
})

test('a full bundle is not searched on for something that fits', () => {
  const { own } = fill(8000, () => ({ maxFeePerGas: 100n, maxPriorityFeePerGas: 10n }))
  looks = 0
  expect(select(own, { maxGas: 500_000n })).toHaveLength(3)
  expect(looks).toBeLessThan(perBundle)
})
