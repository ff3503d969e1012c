import { describe, expect, test } from 'bun:test'
import { address, candidate, facts, hash, hashOf, staked, userOp } from '../../support/builders.ts'
import { admit, admitNonces, effect, mined, pool, reasonOf, refusal, select } from './support.ts'

const [zero, one, two] = [userOp({ nonce: 0n }), userOp({ nonce: 1n }), userOp({ nonce: 2n })]
const atStart = { chainSequence: 0n }
const broken = { code: -32500, message: 'AA21 didn’t pay prefund' }

test('an operation that others are missing before is queued, and pending when the gap fills', () => {
  const own = pool()
  expect(admit(own, two, atStart)).toEqual([effect(two, { kind: 'queued' })])
  expect(admit(own, one, atStart)).toEqual([effect(one, { kind: 'queued' })])
  expect(select(own)).toEqual([])
  expect(admit(own, zero, atStart)).toEqual([
    effect(zero, { kind: 'pending' }),
    effect(one, { kind: 'pending' }),
    effect(two, { kind: 'pending' }),
  ])
  expect(select(own)).toEqual([zero])
})

test('one that is dropped sends those behind it back to the queue', () => {
  const own = pool()
  admitNonces(own, [0, 3])
  expect(own.drop(hashOf(one), broken)).toEqual([
    effect(one, { kind: 'dropped', reason: broken }),
    effect(two, { kind: 'queued' }),
  ])
  expect(own.get(hashOf(two))?.state).toEqual({ kind: 'queued' })
})

test('keys are queues of their own', () => {
  const own = pool()
  const other = userOp({ nonce: 1n << 64n })
  admit(own, userOp({ nonce: 3n }), atStart)
  expect(admit(own, other)).toEqual([effect(other, { kind: 'pending' })])
  expect(select(own)).toEqual([other])
})

describe('a nonce', () => {
  const refused = {
    code: -32602,
    message: 'the nonce is more than 10 ahead of its turn',
    data: {
      path: 'params[0].nonce',
      nextNonce: '0x70000000000000002',
      furthestNonce: '0x7000000000000000c',
      hint: 'send the operations with the earlier nonces first',
    },
  }
  const key = 7n << 64n

  test('may be maxNonceGap ahead of its turn, and no more', () => {
    const own = pool()
    for (const sequence of [0n, 1n]) admit(own, userOp({ nonce: key | sequence }), atStart)
    const [near, far] = [userOp({ nonce: key | 12n }), userOp({ nonce: key | 13n })]
    own.precheck(near, 0)
    expect(refusal(() => own.precheck(far, 0))).toEqual(refused)
    expect(refusal(() => admit(own, far, atStart))).toEqual(refused)
    admit(own, near, atStart)
  })

  test('of an unknown key is measured by the sequence that validation read', () => {
    const own = pool()
    const far = userOp({ nonce: key | 13n })
    own.precheck(far, 0)
    expect(refusal(() => admit(own, far, { chainSequence: 2n }))).toEqual(refused)
  })

  test('that the chain used up while it was validated is refused', () => {
    const own = pool()
    admit(own, one, { chainSequence: 1n })
    expect(refusal(() => admit(own, zero, atStart))).toEqual({
      code: -32500,
      message: 'AA25 invalid account nonce',
      data: {
        aaCode: 'AA25',
        entity: 'account',
        address: address(1),
        nextNonce: '0x1',
        hint: 'another operation with this nonce was included',
      },
    })
  })

  test('that is used up passes the precheck, since it may be a repeat of what was included', () => {
    const own = pool()
    admit(own, one, { chainSequence: 1n })
    own.precheck(zero, 0)
  })
})

describe('turns', () => {
  const ask = (own: ReturnType<typeof pool>, sequence: bigint) => own.turn(address(1), sequence)

  test('are unknown for a key without operations', () => {
    expect(ask(pool(), 5n)).toEqual({ kind: 'unknown' })
  })

  test('tell the next sequence on chain', () => {
    const own = pool()
    admit(own, userOp({ nonce: 5n }))
    expect(ask(own, 4n)).toEqual({ kind: 'used', sequence: 5n })
    expect(ask(own, 5n)).toEqual({ kind: 'next', sequence: 5n })
    expect(ask(own, 6n)).toEqual({ kind: 'next', sequence: 5n })
    expect(ask(own, 7n)).toEqual({ kind: 'ahead', sequence: 5n })
    expect(ask(own, (1n << 64n) | 6n)).toEqual({ kind: 'unknown' })
  })

  test('move on with the chain, and are remembered for a while after the last operation', () => {
    const own = pool()
    admitNonces(own, [0, 2])
    own.mined([mined(zero)], { blockNumber: 2 })
    expect(ask(own, 1n)).toEqual({ kind: 'next', sequence: 1n })
    own.mined([mined(one)], { blockNumber: 3 })
    expect(ask(own, 2n)).toEqual({ kind: 'next', sequence: 2n })
    expect(ask(own, 1n)).toEqual({ kind: 'used', sequence: 2n })
  })

  test('are forgotten with an operation that was not mined', () => {
    const own = pool()
    admit(own, userOp({ nonce: 5n }))
    own.clear()
    expect(ask(own, 5n)).toEqual({ kind: 'unknown' })
  })
})

test('an operation whose predecessor was mined while it was validated is not held for a gap', () => {
  const own = pool()
  admit(own, zero)
  own.mined([mined(zero)], { blockNumber: 2 })
  expect(admit(own, one, atStart)).toEqual([effect(one, { kind: 'pending' })])
})

test('what the chain is past when validation read it newer is dropped', () => {
  const own = pool()
  admit(own, zero)
  expect(admit(own, two, { chainSequence: 2n })).toEqual([
    effect(zero, {
      kind: 'dropped',
      reason: {
        code: -32500,
        message: 'nonce was used by another operation',
        data: { aaCode: 'AA25', entity: 'account', address: address(1), operation: undefined },
      },
    }),
    effect(two, { kind: 'pending' }),
  ])
})

test('what is in flight waits for its own event instead', () => {
  const own = pool()
  admit(own, zero)
  own.bundle([hashOf(zero)], 'bundle')
  admit(own, one, { chainSequence: 1n })
  expect(own.get(hashOf(zero))?.state).toEqual({ kind: 'bundled', bundleId: 'bundle' })
  expect(reasonOf(own.release([hashOf(zero)]), zero).message).toBe('nonce was used by another operation')
})

test('AA25 about the next operation means that the chain is past it', () => {
  const own = pool()
  admitNonces(own, [0, 2])
  const reason = { code: -32500, message: 'AA25 invalid account nonce', data: { aaCode: 'AA25' } }
  expect(own.drop(hashOf(zero), reason)).toEqual([
    effect(zero, { kind: 'dropped', reason }),
    effect(one, { kind: 'queued' }),
    effect(one, { kind: 'pending' }),
  ])
  expect(own.turn(address(1), 1n)).toEqual({ kind: 'next', sequence: 1n })
})

describe('mined', () => {
  test('the next nonce has its turn', () => {
    const own = pool()
    admitNonces(own, [0, 2])
    own.bundle([hashOf(zero)], 'bundle')
    expect(select(own)).toEqual([])
    expect(own.mined([mined(zero)], { blockNumber: 2 })).toEqual([])
    expect(own.size).toBe(1)
    expect(select(own)).toEqual([one])
  })

  test('others with a used nonce are dropped, in flight or not, with who used it', () => {
    const own = pool()
    admitNonces(own, [0, 2])
    own.bundle([hashOf(zero)], 'bundle')
    own.submitted([hashOf(zero)], 'bundle', hash(5))
    const foreign = { hash: hash(99), sender: address(1), nonce: 0n }
    const reason = {
      code: -32500,
      message: 'nonce was used by another operation',
      data: { aaCode: 'AA25', entity: 'account', address: address(1), operation: hash(99) },
    }
    expect(own.mined([foreign], { blockNumber: 2 })).toEqual([effect(zero, { kind: 'dropped', reason })])
    expect(select(own)).toEqual([one])
  })

  test('a gap that others fill on chain is none any more', () => {
    const own = pool()
    admit(own, two, atStart)
    expect(own.mined([{ hash: hash(99), sender: address(1), nonce: 1n }], { blockNumber: 2 })).toEqual([
      effect(two, { kind: 'pending' }),
    ])
  })

  test('a long key of a staked sender moves on without a word about those who wait', () => {
    const own = pool()
    const ops = admitNonces(own, [0, 20], staked)
    expect(own.mined(ops.slice(0, 5).map(mined), { blockNumber: 2 })).toEqual([])
    expect(select(own)).toEqual(ops.slice(5))
  })
})

describe('a reorg', () => {
  test('makes the key wait for the restored operation, without changing states', () => {
    const own = pool()
    admitNonces(own, [0, 2])
    own.mined([mined(zero)], { blockNumber: 2 })
    own.unmined([mined(zero)])
    expect(select(own)).toEqual([])
    expect(own.get(hashOf(one))?.state).toEqual({ kind: 'pending' })
    expect(own.restore(candidate(zero), 0)).toEqual([effect(zero, { kind: 'pending' })])
    expect(own.tick({ now: 0, timestamp: 0, blockNumber: 2 })).toEqual([])
    expect(select(own)).toEqual([zero])
  })

  test('restores several of a key in whatever order', () => {
    const own = pool()
    const ops = admitNonces(own, [0, 3])
    own.mined([mined(zero), mined(one)], { blockNumber: 2 })
    own.unmined([mined(one), mined(zero)])
    own.restore(candidate(one), 0)
    own.restore(candidate(zero), 0)
    own.tick({ now: 0, timestamp: 0, blockNumber: 2 })
    expect([...own.entries()].map(({ op, state }) => [op, state.kind])).toEqual(
      [two, one, zero].map((op) => [op, 'pending']),
    )
    own.mined([mined(zero), mined(one)], { blockNumber: 3 })
    expect(select(own)).toEqual(ops.slice(2))
  })

  test('queues with the next tick what nobody was restored for', () => {
    const own = pool()
    admit(own, zero)
    const foreign = { hash: hash(99), sender: address(1), nonce: 0n }
    own.mined([foreign], { blockNumber: 2 })
    admit(own, one, { chainSequence: 1n })
    own.unmined([foreign])
    expect(own.tick({ now: 0, timestamp: 0, blockNumber: 2 })).toEqual([effect(one, { kind: 'queued' })])
    expect(own.turn(address(1), 0n)).toEqual({ kind: 'next', sequence: 0n })
  })

  test('of a key without operations is remembered, too', () => {
    const own = pool()
    admit(own, zero)
    own.mined([mined(zero)], { blockNumber: 2 })
    own.unmined([mined(zero)])
    expect(admit(own, one, atStart)).toEqual([effect(one, { kind: 'queued' })])
  })
})

describe('restoring', () => {
  test('ignores every limit', () => {
    const own = pool({ maxPoolSize: 3 })
    for (let nonce = 0n; nonce < 6n; nonce++) own.restore(candidate(userOp({ nonce }), atStart), 0)
    own.restore(candidate(userOp({ nonce: 1000n }), atStart), 0)
    expect(own.size).toBe(7)
  })

  test('is silent about what is there', () => {
    const own = pool()
    admit(own, zero)
    expect(own.restore(candidate(zero), 0)).toEqual([])
  })

  test('takes the place of one that waits, and gives way to one in flight', () => {
    const own = pool()
    const other = userOp({ callData: '0x01' })
    admit(own, zero)
    expect(own.restore(candidate(other), 0)).toEqual([
      effect(zero, { kind: 'replaced', by: hashOf(other) }),
      effect(other, { kind: 'pending' }),
    ])
    own.bundle([hashOf(other)], 'bundle')
    expect(own.restore(candidate(zero), 0)).toEqual([effect(zero, { kind: 'replaced', by: hashOf(other) })])
    expect(own.size).toBe(1)
  })

  test('counts nothing as seen', () => {
    const own = pool()
    const op = userOp({ paymaster: address(77) })
    own.restore(candidate(op, { facts: facts(op) }), 0)
    expect(own.reputation()).toEqual([])
  })
})
