import { expect, test } from 'bun:test'
import type { UserOperation } from '../../../src/types/userop.ts'
import { address, facts, hash, hashOf, staked, userOp } from '../../support/builders.ts'
import { admit, effect, mined, pool, refusal, select } from './support.ts'

const paymaster = address(77)
/** Costs 150,000 gas × 10 wei. */
const sponsored = (sender: number, changes: Partial<UserOperation> = {}) =>
  userOp({
    sender: address(sender),
    paymaster,
    maxFeePerGas: 10n,
    maxPriorityFeePerGas: BigInt(sender),
    ...changes,
  })
const cost = 1_500_000n
const withDeposit = (op: UserOperation, deposit: bigint, block = 1) => ({
  facts: facts(op, {
    block: { number: block, hash: hash(block) },
    paymaster: { ...staked, address: paymaster, deposit },
  }),
})
const [one, two, three] = [sponsored(1), sponsored(2), sponsored(3)]
const uncovered = {
  code: -32508,
  message: `deposit of paymaster ${paymaster} cannot cover all its pending operations any more`,
  data: { entity: 'paymaster', address: paymaster, paymaster },
}

test('EREP-010: a deposit must cover the highest cost of all operations together', () => {
  const own = pool()
  admit(own, one, withDeposit(one, cost))
  expect(refusal(() => admit(own, two, withDeposit(two, 2n * cost - 1n)))).toEqual({
    code: -32508,
    message: `deposit of paymaster ${paymaster} cannot cover all its pending operations`,
    data: {
      entity: 'paymaster',
      address: paymaster,
      paymaster,
      deposit: '0x2dc6bf',
      reserved: '0x16e360',
      required: '0x16e360',
      hint: 'raise the deposit at the EntryPoint, or wait until pending operations are included',
    },
  })
  admit(own, two, withDeposit(two, 2n * cost))
})

test('a replacement needs only what it costs more', () => {
  const own = pool()
  admit(own, one, withDeposit(one, cost))
  const dearer = sponsored(1, { maxFeePerGas: 11n, maxPriorityFeePerGas: 2n })
  expect(refusal(() => admit(own, dearer, withDeposit(dearer, cost))).code).toBe(-32508)
  admit(own, dearer, withDeposit(dearer, (cost / 10n) * 11n))
})

test('what left is not counted any more', () => {
  const own = pool()
  admit(own, one, withDeposit(one, cost))
  own.mined([mined(one)], { blockNumber: 2 })
  admit(own, two, withDeposit(two, cost, 2))
  own.drop(hashOf(two), { code: 0, message: '' })
  admit(own, three, withDeposit(three, cost, 2))
})

test('a deposit that was told with a newer block than validation saw is the one that counts', () => {
  const own = pool()
  admit(own, one, withDeposit(one, cost))
  own.setDeposit(paymaster, cost)
  own.tick({ now: 0, timestamp: 0, blockNumber: 5 })
  expect(refusal(() => admit(own, two, withDeposit(two, 9n * cost, 4))).code).toBe(-32508)
  admit(own, two, withDeposit(two, 2n * cost, 5))
})

test('a deposit that shrinks drops those that pay least until the rest is covered', () => {
  const own = pool()
  for (const op of [two, three, one]) admit(own, op, withDeposit(op, 9n * cost))
  expect(own.setDeposit(paymaster, 3n * cost)).toEqual([])
  expect(own.setDeposit(paymaster, 2n * cost - 1n)).toEqual([
    effect(one, { kind: 'dropped', reason: uncovered }),
    effect(two, { kind: 'dropped', reason: uncovered }),
  ])
  expect(select(own)).toEqual([three])
})

test('but nothing that is in flight', () => {
  const own = pool()
  for (const op of [one, two, three]) admit(own, op, withDeposit(op, 9n * cost))
  own.bundle([hashOf(one)], 'bundle')
  own.submitted([hashOf(two)], 'bundle', hash(5))
  expect(own.setDeposit(paymaster, 0n)).toEqual([effect(three, { kind: 'dropped', reason: uncovered })])
})

test('paymasters are listed while they have operations here', () => {
  const own = pool()
  expect(own.paymasters()).toEqual([])
  admit(own, one, withDeposit(one, cost))
  expect(own.paymasters()).toEqual([paymaster])
  own.clear()
  expect(own.paymasters()).toEqual([])
  expect(own.setDeposit(paymaster, 0n)).toEqual([])
})
