import { expect, test } from 'bun:test'
import { createPool } from '../../../src/pool/pool.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { effectivePriorityFee } from '../../../src/types/userop-cost.ts'
import { address, candidate, userOp } from '../../support/builders.ts'
import { select, settings } from './support.ts'

/** Reads of fees, which every comparison and every scan needs: the measure of work. */
function counted(op: UserOperation, count: () => void): UserOperation {
  const { maxFeePerGas } = op
  return Object.defineProperty({ ...op }, 'maxFeePerGas', {
    enumerable: true,
    get() {
      count()
      return maxFeePerGas
    },
  })
}

test('takes the best of 50,000 operations without looking at most of them', () => {
  const own = createPool({ ...settings, maxPoolSize: 50_000 })
  let reads = 0
  const ops: UserOperation[] = []
  for (let sender = 1; sender <= 50_000; sender++) {
    const fee = BigInt((sender * 7919) % 50_000)
    const op = userOp({
      sender: address(sender),
      maxFeePerGas: 50_000n + fee,
      maxPriorityFeePerGas: 50_000n - fee,
    })
    ops.push(op)
    own.admit(candidate(counted(op, () => reads++)), 0)
  }
  expect(own.size).toBe(50_000)
  for (const baseFee of [0n, 50_000n, 75_000n, 99_990n]) {
    reads = 0
    const fees = select(own, { baseFee, maxOperations: 100 }).map((op) => effectivePriorityFee(op, baseFee))
    const best = ops
      .map((op) => effectivePriorityFee(op, baseFee))
      .filter((fee) => fee >= 0n)
      .sort((a, b) => Number(b - a))
      .slice(0, 100)
    expect(fees).toEqual(best)
    if (baseFee === 0n || baseFee === 99_990n) expect(reads).toBeLessThan(20_000)
  }
})
