import { describe, expect, test } from 'bun:test'
import type { UserOperation } from '../../../src/types/userop.ts'
import { operationBytes, operationGas } from '../../../src/types/userop-cost.ts'
import { address, candidate, facts, hash, hashOf, staked, userOp } from '../../support/builders.ts'
import { admit, admitNonces, effect, mined, paying, pool, select, suspect } from './support.ts'

const gwei = 1_000_000_000n
const from = (sender: number) => userOp({ sender: address(sender) })

describe('order', () => {
  test('is by what is paid above the base fee', () => {
    const own = pool()
    const [a, b, c] = [paying(1, 100n, 30n), paying(2, 60n, 50n), paying(3, 200n, 20n)]
    for (const op of [a, b, c]) admit(own, op)
    expect(select(own, { baseFee: 0n })).toEqual([b, a, c])
    expect(select(own, { baseFee: 40n })).toEqual([a, b, c])
    expect(select(own, { baseFee: 45n })).toEqual([a, c, b])
    expect(select(own, { baseFee: 0n })).toEqual([b, a, c])
  })

  test('leaves those waiting that cannot pay the base fee', () => {
    const own = pool()
    const [a, b] = [paying(1, 100n, 30n), paying(2, 60n, 50n)]
    for (const op of [a, b]) admit(own, op)
    expect(select(own, { baseFee: 60n })).toEqual([a, b])
    expect(select(own, { baseFee: 61n })).toEqual([a])
    expect(select(own, { baseFee: 101n })).toEqual([])
  })

  test('among equals is by who was received first', () => {
    const own = pool()
    const ops = [3, 1, 2].map((sender) => paying(sender, 10n, 1n))
    for (const [index, op] of ops.entries()) admit(own, op, { receivedAt: 100 - index })
    expect(select(own)).toEqual(ops.toReversed())
  })

  test('holds for fees beyond what numbers can tell apart', () => {
    const own = pool()
    const top = 2n ** 128n - 1n
    const ops = [paying(1, top, top - 1n), paying(2, top, top), paying(3, top, 1n), paying(4, top, top - 2n)]
    for (const op of ops) admit(own, op)
    expect(select(own)).toEqual([1, 0, 3, 2].flatMap((index) => ops[index] ?? []))
  })

  test('changes nothing', () => {
    const own = pool()
    admitNonces(own, [0, 3], staked)
    expect(select(own)).toEqual(select(own))
    expect([...own.entries()].map(({ state }) => state.kind)).toEqual(['pending', 'pending', 'pending'])
  })
})

describe('a sender', () => {
  test('has one operation in a bundle when it is unstaked', () => {
    const own = pool()
    const ops = [0n, 1n << 64n].map((nonce) => userOp({ nonce }))
    for (const op of ops) admit(own, op)
    expect(select(own)).toEqual(ops.slice(0, 1))
  })

  test('and in flight', () => {
    const own = pool()
    const [one, other] = [userOp({ nonce: 0n }), userOp({ nonce: 1n << 64n })]
    admit(own, one)
    admit(own, other)
    own.bundle([hashOf(one)], 'bundle')
    expect(select(own)).toEqual([])
    own.release([hashOf(one)])
    expect(select(own)).toEqual([one])
  })

  test('has its consecutive nonces in order when it is staked, whatever they pay', () => {
    const own = pool()
    const ops = [1n, 5n, 3n].map((fee, nonce) =>
      userOp({ nonce: BigInt(nonce), maxFeePerGas: 10n, maxPriorityFeePerGas: fee }),
    )
    for (const op of ops) admit(own, op, { chainSequence: 0n, facts: facts(op, { sender: staked }) })
    const other = paying(2, 10n, 2n)
    admit(own, other)
    expect(select(own)).toEqual([other, ...ops])
  })

  test('with nonces in flight goes on when they are mined', () => {
    const own = pool()
    const ops = admitNonces(own, [0, 3], staked)
    own.bundle(ops.slice(0, 1).map(hashOf), 'bundle')
    expect(select(own)).toEqual([])
  })

  test('is in no bundle with an operation that it helps', () => {
    const own = pool()
    const wallet = userOp({ sender: address(77), maxPriorityFeePerGas: gwei })
    const helped = userOp({ sender: address(2), paymaster: address(77), maxPriorityFeePerGas: 3n * gwei })
    own.restore(candidate(wallet), 0)
    own.restore(candidate(helped), 0)
    expect(select(own)).toEqual([helped])
    own.drop(hashOf(helped), { code: 0, message: '' })
    expect(select(own)).toEqual([wallet])
    own.restore(candidate({ ...helped, maxPriorityFeePerGas: 1n }), 0)
    expect(select(own)).toEqual([wallet])
  })
})

describe('caps', () => {
  const filled = () => {
    const own = pool()
    for (let sender = 1; sender <= 5; sender++) admit(own, from(sender))
    return own
  }

  test('hold for gas, bytes and operations', () => {
    const [gas, bytes] = [operationGas(from(1)), operationBytes(from(1))]
    expect(select(filled(), { maxGas: 3n * gas })).toHaveLength(3)
    expect(select(filled(), { maxGas: 3n * gas - 1n })).toHaveLength(2)
    expect(select(filled(), { maxBytes: 4 * bytes })).toHaveLength(4)
    expect(select(filled(), { maxBytes: 4 * bytes - 1 })).toHaveLength(3)
    expect(select(filled(), { maxOperations: 4 })).toHaveLength(4)
    expect(select(filled(), { maxOperations: 0 })).toEqual([])
  })

  test('leave room for smaller operations that pay less', () => {
    const own = pool()
    const [first, big] = [paying(1, 100n, 30n), { ...paying(2, 100n, 20n), callGasLimit: 10n ** 6n }]
    const small = paying(3, 100n, 10n)
    for (const op of [first, big, small]) admit(own, op)
    expect(select(own, { maxGas: 400_000n })).toEqual([first, small])
  })

  test('that one operation breaks alone keep nobody else back', () => {
    const own = pool()
    for (let sender = 1; sender <= 40; sender++) {
      admit(own, { ...paying(sender, 100n, 50n), callGasLimit: 10n ** 9n })
    }
    const small = paying(99, 100n, 1n)
    admit(own, small)
    expect(select(own, { maxGas: 10n ** 6n })).toEqual([small])
  })
})

describe('time ranges', () => {
  const timed = (range: { validAfter?: number; validUntil?: number }) => {
    const own = pool()
    const op = userOp()
    admit(own, op, { facts: facts(op, range) })
    return own
  }

  test('keep an operation back until it is valid', () => {
    const own = timed({ validAfter: 1000 })
    expect(select(own, { timestamp: 1000 })).toEqual([])
    expect(select(own, { timestamp: 1001 })).toEqual([userOp()])
    expect(select(own, { timestamp: 1000 })).toEqual([])
  })

  test('keep it back in its last 30 s', () => {
    const own = timed({ validUntil: 1030 })
    expect(select(own, { timestamp: 1000 })).toEqual([userOp()])
    expect(select(own, { timestamp: 1001 })).toEqual([])
  })

  test('are those of the newest validation', () => {
    const own = timed({ validAfter: 5000 })
    expect(select(own, { timestamp: 1000 })).toEqual([])
    own.revalidated(hashOf(userOp()), facts(userOp()))
    expect(select(own, { timestamp: 1000 })).toEqual([userOp()])
    own.revalidated(hashOf(userOp()), facts(userOp(), { validAfter: 5000 }))
    expect(select(own, { timestamp: 1000 })).toEqual([])
  })
})

describe('an operation that failed a bundle check', () => {
  const reason = { code: -32500, message: 'AA23 reverted' }
  const [bad, good] = [userOp({ maxPriorityFeePerGas: 9n * gwei }), from(2)]
  const failing = (times: number) => {
    const own = pool()
    for (const op of [bad, good]) admit(own, op)
    for (let count = 0; count < times; count++) own.failed(hashOf(bad), reason, 0)
    return own
  }

  test('backs off twice as long each time', () => {
    for (const [times, wait] of [
      [1, 1000],
      [2, 2000],
      [3, 4000],
      [4, 8000],
    ] as const) {
      const own = failing(times)
      expect(suspect(own, { now: wait - 1 })).toBeUndefined()
      expect(suspect(own, { now: wait })).toEqual(bad)
      expect(own.get(hashOf(bad))?.failures).toBe(times)
    }
  })

  test('travels in no bundle with others', () => {
    const own = failing(1)
    expect(select(own, { now: 1000 })).toEqual([good])
    own.bundle([hashOf(good)], 'bundle')
    expect(select(own, { now: 1000 })).toEqual([])
    expect(suspect(own, { now: 1000 })).toEqual(bad)
  })

  test('keeps the rules of every bundle', () => {
    const own = failing(1)
    expect(suspect(own, { now: 1000, baseFee: bad.maxFeePerGas + 1n })).toBeUndefined()
    expect(suspect(own, { now: 1000, leastPriorityFee: bad.maxPriorityFeePerGas + 1n })).toBeUndefined()
    expect(suspect(own, { now: 1000, maxGas: operationGas(bad) - 1n })).toBeUndefined()
    own.revalidated(hashOf(bad), facts(bad, { validUntil: 1029 }))
    expect(suspect(own, { now: 1000, timestamp: 1000 })).toBeUndefined()
  })

  test('waits while another of its unstaked sender is in flight', () => {
    const own = failing(1)
    const sibling = userOp({ nonce: 1n << 64n })
    admit(own, sibling)
    own.bundle([hashOf(sibling)], 'bundle')
    expect(suspect(own, { now: 1000 })).toBeUndefined()
    own.release([hashOf(sibling)])
    expect(suspect(own, { now: 1000 })).toEqual(bad)
  })

  test('keeps the next nonce of a trusted sender back until its own turn', () => {
    const own = pool()
    const [zero, one, two] = admitNonces(own, [0, 3], staked)
    if (zero === undefined || one === undefined || two === undefined) throw new Error('three were admitted')
    own.failed(hashOf(one), reason, 0)
    expect(select(own, { now: 1000 })).toEqual([zero])
    own.mined([mined(zero)], { blockNumber: 2 })
    expect([select(own, { now: 1000 }), suspect(own, { now: 1000 })]).toEqual([[], one])
  })

  test('is dropped with the reason when it failed five times', () => {
    const own = failing(4)
    expect(own.failed(hashOf(bad), reason, 0)).toEqual([effect(bad, { kind: 'dropped', reason })])
    expect(own.failed(hashOf(bad), reason, 0)).toEqual([])
  })
})

describe('bundles', () => {
  const op: UserOperation = userOp()

  test('bind operations, which are passed over from then on', () => {
    const own = pool()
    admit(own, op)
    expect(own.bundle([hashOf(op), hash(9)], 'b')).toEqual([effect(op, { kind: 'bundled', bundleId: 'b' })])
    expect(own.bundle([hashOf(op)], 'other')).toEqual([])
    expect(select(own)).toEqual([])
    const submitted = { kind: 'submitted' as const, bundleId: 'b', transactionHash: hash(5) }
    expect(own.submitted([hashOf(op)], 'b', hash(5))).toEqual([effect(op, submitted)])
    expect(own.get(hashOf(op))?.state).toEqual(submitted)
  })

  test('that will not happen set them free', () => {
    const own = pool()
    admit(own, op)
    own.bundle([hashOf(op)], 'b')
    expect(own.release([hashOf(op)])).toEqual([effect(op, { kind: 'pending' })])
    expect(own.release([hashOf(op)])).toEqual([])
    expect(select(own)).toEqual([op])
  })

  test('that are released after an earlier nonce was dropped leave them queued', () => {
    const own = pool()
    const [zero, one] = admitNonces(own, [0, 2], staked)
    if (zero === undefined || one === undefined) throw new Error('two were admitted')
    own.bundle([hashOf(zero), hashOf(one)], 'b')
    own.drop(hashOf(zero), { code: 0, message: '' })
    expect(own.release([hashOf(one)])).toEqual([effect(one, { kind: 'queued' })])
  })
})

describe('a bundle', () => {
  const scope = { associated: [], codes: [], contextSize: 0, gasByPhase: [] }

  test('STO-041: has no account in which another operation uses storage', () => {
    const own = pool()
    const [token, holder] = [paying(1, 100n, 50n), paying(2, 100n, 40n)]
    admit(own, token)
    // Admitted before the token was an account, and restored.
    own.restore(
      candidate(holder, { facts: facts(holder, { scope: { ...scope, associated: [address(1)] } }) }),
      0,
    )
    expect(select(own, { baseFee: 0n })).toEqual([token])
    own.drop(hashOf(token), { code: 0, message: '' })
    expect(select(own, { baseFee: 0n })).toEqual([holder])
  })

  test('LIM-050: has contexts of 65536 bytes together', () => {
    const own = pool()
    const ops = [1, 2, 3].map((sender) => paying(sender, 100n, 50n))
    for (const [index, op] of ops.entries()) {
      const contextSize = [65_000, 537, 536][index] ?? 0
      admit(own, op, { facts: facts(op, { scope: { ...scope, contextSize } }) })
    }
    expect(select(own, { baseFee: 0n })).toEqual([0, 2].flatMap((index) => ops[index] ?? []))
  })
})
