import { describe, expect, test } from 'bun:test'
import type { PoolPort } from '../../../src/types/ports/pool.ts'
import { address, facts, hash, hashOf, userOp } from '../../support/builders.ts'
import { admit, admitNonces, effect, pool, reasonOf, select } from './support.ts'

const tick = (own: PoolPort, now: number, timestamp = 0) => own.tick({ now, timestamp, blockNumber: 1 })
const [op, flying] = [userOp(), userOp({ sender: address(2) })]
const submit = (own: PoolPort) => {
  own.bundle([hashOf(flying)], 'bundle')
  own.submitted([hashOf(flying)], 'bundle', hash(5))
}

describe('an operation', () => {
  test('expires when no later block can be in its time range', () => {
    const own = pool()
    admit(own, op, { facts: facts(op, { validAfter: 10, validUntil: 1000 }) })
    expect(tick(own, 0, 999)).toEqual([])
    expect(tick(own, 0, 1000)).toEqual([
      effect(op, {
        kind: 'expired',
        reason: {
          code: -32503,
          message: 'expired before it was included',
          data: { validUntil: 1000, validAfter: 10, paymaster: undefined },
        },
      }),
    ])
    expect(own.size).toBe(0)
  })

  test('is dropped after maxPoolAge', () => {
    const own = pool()
    admit(own, op, { receivedAt: 5000 })
    expect(tick(own, 3_604_999)).toEqual([])
    expect(reasonOf(tick(own, 3_605_000), op)).toEqual({
      code: -32005,
      message: 'not included within 3600 s',
      data: { retryAfterMs: 5000, hint: 'send it again, perhaps with higher fees' },
    })
  })

  test('in flight waits for its transaction, and for its release', () => {
    const own = pool()
    admit(own, flying, { facts: facts(flying, { validUntil: 1000 }) })
    submit(own)
    expect(tick(own, 10 ** 10, 10 ** 7)).toEqual([])
    own.release([hashOf(flying)])
    expect(tick(own, 10 ** 10, 10 ** 7).map(({ state }) => state.kind)).toEqual(['expired'])
  })
})

describe('a nonce gap', () => {
  const ahead = userOp({ nonce: 2n })
  const gap = {
    code: -32602,
    message: 'nonce gap',
    data: { hint: 'an operation with an earlier nonce is missing' },
  }

  test('is given up after useropsTTL', () => {
    const own = pool()
    admit(own, ahead, { chainSequence: 0n }, 1000)
    expect(tick(own, 300_999)).toEqual([])
    expect(reasonOf(tick(own, 301_000), ahead)).toEqual(gap)
  })

  test('counts from when it opened', () => {
    const own = pool()
    admitNonces(own, [0, 3])
    tick(own, 200_000)
    own.drop(hashOf(userOp({ nonce: 1n })), { code: 0, message: '' })
    expect(tick(own, 499_999)).toEqual([])
    expect(reasonOf(tick(own, 500_000), ahead)).toEqual(gap)
  })

  test('that is filled in time is none', () => {
    const own = pool()
    admit(own, ahead, { chainSequence: 0n })
    admitNonces(own, [0, 2])
    expect(tick(own, 300_001)).toEqual([])
  })
})

test('clear drops all but what is submitted', () => {
  const own = pool()
  const bundled = userOp({ sender: address(3) })
  for (const each of [op, flying, bundled]) admit(own, each)
  submit(own)
  own.bundle([hashOf(bundled)], 'other')
  const reason = { code: -32000, message: 'the mempool was cleared' }
  expect(own.clear()).toEqual([
    effect(op, { kind: 'dropped', reason }),
    effect(bundled, { kind: 'dropped', reason }),
  ])
  expect([...own.entries()].map((entry) => entry.op)).toEqual([flying])
  expect(select(own)).toEqual([])
})

test('an entry is what it was when it was given', () => {
  const own = pool()
  admit(own, op)
  const before = own.get(hashOf(op))
  own.bundle([hashOf(op)], 'bundle')
  expect(before).toEqual({
    op,
    hash: hashOf(op),
    facts: facts(op),
    receivedAt: 0,
    state: { kind: 'pending' },
    failures: 0,
  })
})
