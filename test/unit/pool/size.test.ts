import { expect, test } from 'bun:test'
import { candidate, hashOf, userOp } from '../../support/builders.ts'
import { admit, effect, hashesIn, paying, pool, refusal, select } from './support.ts'

const evicted = {
  code: -32005,
  message: 'evicted: pool full of operations that pay more',
  data: { retryAfterMs: 5000, hint: 'send it again with higher fees' },
}
const full = {
  code: -32005,
  message: 'the mempool is full',
  data: { retryAfterMs: 5000, hint: 'higher fees than the lowest ones in it make room' },
}

test('a full pool drops the lowest fee for a higher one', () => {
  const own = pool({ maxPoolSize: 2 })
  const [low, high, newcomer] = [paying(1, 10n, 1n), paying(2, 10n, 3n), paying(3, 10n, 2n)]
  for (const op of [high, low]) admit(own, op)
  expect(admit(own, newcomer)).toEqual([
    effect(low, { kind: 'dropped', reason: evicted }),
    effect(newcomer, { kind: 'pending' }),
  ])
  expect(hashesIn(own)).toEqual([hashOf(high), hashOf(newcomer)])
})

test('one that pays no more than the lowest is refused', () => {
  const own = pool({ maxPoolSize: 1 })
  admit(own, paying(1, 10n, 2n))
  expect(refusal(() => admit(own, paying(2, 10n, 2n)))).toEqual(full)
  expect(own.size).toBe(1)
})

test('fees are compared at the last base fee, the youngest of equals goes', () => {
  const own = pool({ maxPoolSize: 3 })
  const [tight, first, second] = [paying(1, 100n, 90n), paying(2, 200n, 50n), paying(3, 200n, 50n)]
  for (const op of [tight, first, second]) admit(own, op)
  const newcomers = [paying(4, 500n, 60n), paying(5, 500n, 61n)] as const
  expect(admit(own, newcomers[0])[0]?.hash).toBe(hashOf(second))
  select(own, { baseFee: 80n })
  expect(admit(own, newcomers[1])[0]?.hash).toBe(hashOf(tight))
})

test('what is in flight is not evicted', () => {
  const own = pool({ maxPoolSize: 1 })
  const low = paying(1, 10n, 1n)
  admit(own, low)
  own.bundle([hashOf(low)], 'bundle')
  expect(refusal(() => admit(own, paying(2, 10n, 5n)))).toEqual(full)
  own.release([hashOf(low)])
  expect(admit(own, paying(2, 10n, 5n))[0]?.hash).toBe(hashOf(low))
})

test('the last nonce of a key goes, so that no gap opens', () => {
  const own = pool({ maxPoolSize: 3 })
  const [zero, one] = [1n, 2n].map((fee, nonce) =>
    userOp({ nonce: BigInt(nonce), maxPriorityFeePerGas: fee }),
  )
  if (zero === undefined || one === undefined) throw new Error('there are two')
  const other = paying(2, 100n, 3n)
  for (const op of [zero, one, other]) admit(own, op, { chainSequence: 0n })
  expect(admit(own, paying(3, 100n, 5n))[0]?.hash).toBe(hashOf(one))
  expect(admit(own, paying(4, 100n, 5n))[0]?.hash).toBe(hashOf(zero))
})

test('nor does an operation evict the one that it has to wait for', () => {
  const own = pool({ maxPoolSize: 2 })
  const zero = userOp({ nonce: 0n, maxPriorityFeePerGas: 1n })
  const other = userOp({ sender: '0x00000000000000000000000000000000000000ff', maxPriorityFeePerGas: 2n })
  for (const op of [zero, other]) admit(own, op)
  const one = userOp({ nonce: 1n, maxPriorityFeePerGas: 3n })
  expect(admit(own, one, { chainSequence: 0n })[0]?.hash).toBe(hashOf(other))
})

test('a replacement needs no room', () => {
  const own = pool({ maxPoolSize: 1 })
  admit(own, paying(1, 10n, 1n))
  expect(admit(own, paying(1, 11n, 2n)).map(({ state }) => state.kind)).toEqual(['replaced', 'pending'])
})

test('restored operations may exceed the size; newcomers then evict one for one', () => {
  const own = pool({ maxPoolSize: 1 })
  for (const sender of [1, 2]) own.restore(candidate(paying(sender, 10n, 1n)), 0)
  expect(own.size).toBe(2)
  admit(own, paying(3, 10n, 2n))
  expect(own.size).toBe(2)
})
