import { describe, expect, test } from 'bun:test'
import { address, candidate, facts, hash, hashOf, staked, userOp } from '../../support/builders.ts'
import { admit, pool, refusal, select } from './support.ts'

const gwei = 1_000_000_000n

describe('replacement', () => {
  const first = userOp({ maxFeePerGas: 100n, maxPriorityFeePerGas: 10n })

  test('needs 10 % more on both fees', () => {
    const own = pool()
    admit(own, first)
    const low = userOp({ maxFeePerGas: 110n, maxPriorityFeePerGas: 10n })
    expect(refusal(() => admit(own, low))).toMatchObject({
      code: -32602,
      message: 'replacement underpriced',
      data: { maxFeePerGas: '0x6e', maxPriorityFeePerGas: '0xb' },
    })
    expect(refusal(() => own.precheck(low, 0)).code).toBe(-32602)
    const enough = userOp({ maxFeePerGas: 110n, maxPriorityFeePerGas: 11n })
    expect(admit(own, enough)).toEqual([
      { hash: hashOf(first), sender: first.sender, state: { kind: 'replaced', by: hashOf(enough) } },
      { hash: hashOf(enough), sender: first.sender, state: { kind: 'pending' } },
    ])
    expect([...own.entries()].map((entry) => entry.hash)).toEqual([hashOf(enough)])
  })

  test('needs no bump after useropsTTL', () => {
    const own = pool()
    admit(own, first)
    const same = userOp({ maxFeePerGas: 100n, maxPriorityFeePerGas: 10n, callData: '0x01' })
    expect(refusal(() => admit(own, same, {}, 300_000)).message).toBe('replacement underpriced')
    expect(admit(own, same, {}, 300_001)).toHaveLength(2)
  })

  test('is too late once bundled', () => {
    const own = pool()
    admit(own, first)
    own.bundle([hashOf(first)], 'b')
    const dear = userOp({ maxFeePerGas: 1000n, maxPriorityFeePerGas: 1000n })
    expect(refusal(() => admit(own, dear, {}, 10 ** 7))).toMatchObject({ code: -32602 })
  })
})

describe('senders', () => {
  const four = [0n, 1n, 2n, 3n].map((nonce) => userOp({ nonce }))

  test('an unstaked one has four operations at most', () => {
    const own = pool()
    for (const op of four) admit(own, op, { chainSequence: 0n })
    expect(refusal(() => admit(own, userOp({ nonce: 4n }), { chainSequence: 0n }))).toMatchObject({
      code: -32505,
      data: {
        entity: 'account',
        address: address(1),
        minimumStake: '0xde0b6b3a7640000',
        minimumUnstakeDelay: '0x15180',
      },
    })
  })

  test('a fifth may replace one of the four', () => {
    const own = pool()
    for (const op of four) admit(own, op, { chainSequence: 0n })
    const op = userOp({ nonce: 3n, maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: 20n * gwei })
    expect(admit(own, op, { chainSequence: 0n })).toHaveLength(2)
  })

  test('a staked or whitelisted one has no limit', () => {
    const own = pool()
    for (let nonce = 0n; nonce < 8n; nonce++) {
      const op = userOp({ nonce })
      admit(own, op, { chainSequence: 0n, facts: facts(op, { sender: staked }) })
    }
    expect(own.size).toBe(8)
    const listed = pool({ whitelistedEntities: { account: [address(1)], factory: [], paymaster: [] } })
    for (let nonce = 0n; nonce < 8n; nonce++) admit(listed, userOp({ nonce }), { chainSequence: 0n })
    expect(listed.size).toBe(8)
  })
})

describe('nonces', () => {
  test('wait in a line, and go on when the gap fills', () => {
    const own = pool()
    const [zero, one, two] = [0n, 1n, 2n].map((nonce) => userOp({ nonce }))
    if (!zero || !one || !two) throw new Error()
    expect(admit(own, two, { chainSequence: 0n })[0]?.state).toEqual({ kind: 'queued' })
    expect(admit(own, one, { chainSequence: 0n })[0]?.state).toEqual({ kind: 'queued' })
    expect(select(own)).toEqual([])
    expect(admit(own, zero, { chainSequence: 0n }).map(({ hash, state }) => [hash, state.kind])).toEqual(
      expect.arrayContaining([
        [hashOf(zero), 'pending'],
        [hashOf(one), 'pending'],
        [hashOf(two), 'pending'],
      ]),
    )
    expect(select(own)).toEqual([zero])
  })

  test('turns are told', () => {
    const own = pool()
    expect(own.turn(address(1), 5n)).toEqual({ kind: 'unknown' })
    admit(own, userOp({ nonce: 5n }))
    expect(own.turn(address(1), 4n)).toEqual({ kind: 'used', sequence: 5n })
    expect(own.turn(address(1), 5n)).toEqual({ kind: 'next', sequence: 5n })
    expect(own.turn(address(1), 6n)).toEqual({ kind: 'next', sequence: 5n })
    expect(own.turn(address(1), 7n)).toEqual({ kind: 'ahead', sequence: 5n })
    expect(own.turn(address(1), (1n << 64n) | 6n)).toEqual({ kind: 'unknown' })
  })

  test('further ahead than maxNonceGap are refused with the values that would do', () => {
    const own = pool()
    admit(own, userOp({ nonce: 0n }))
    admit(own, userOp({ nonce: 10n }))
    expect(refusal(() => admit(own, userOp({ nonce: 11n })))).toMatchObject({
      code: -32602,
      data: { nextNonce: '0x0', furthestNonce: '0xa' },
    })
    const key = 7n << 64n
    expect(refusal(() => admit(own, userOp({ nonce: key | 11n }), { chainSequence: 0n })).data).toMatchObject(
      {
        furthestNonce: '0x7000000000000000a',
      },
    )
  })

  test('that never get their turn are dropped for the gap after useropsTTL', () => {
    const own = pool()
    const op = userOp({ nonce: 2n })
    admit(own, op, { chainSequence: 0n })
    expect(own.tick({ now: 299_999, timestamp: 0, blockNumber: 1 })).toEqual([])
    expect(own.tick({ now: 300_000, timestamp: 0, blockNumber: 1 })).toEqual([
      {
        hash: hashOf(op),
        sender: op.sender,
        state: { kind: 'dropped', reason: { code: -32000, message: 'nonce gap' } },
      },
    ])
    expect(own.size).toBe(0)
  })

  test('behind a dropped one are queued again', () => {
    const own = pool()
    const [zero, one] = [userOp({ nonce: 0n }), userOp({ nonce: 1n })]
    admit(own, zero, { chainSequence: 0n })
    admit(own, one, { chainSequence: 0n })
    const effects = own.drop(hashOf(zero), { code: -32500, message: 'AA21' })
    expect(effects.map(({ state }) => state.kind)).toEqual(['dropped', 'queued'])
    expect(select(own)).toEqual([])
  })

  test('of different keys are independent', () => {
    const own = pool()
    const other = userOp({ nonce: 1n << 64n })
    admit(own, userOp({ nonce: 3n }), { chainSequence: 0n })
    admit(own, other)
    expect(select(own)).toEqual([other])
  })
})

describe('mined blocks', () => {
  test('take operations out and move the line on', () => {
    const own = pool()
    const [zero, one] = [userOp({ nonce: 0n }), userOp({ nonce: 1n })]
    admit(own, zero, { chainSequence: 0n })
    admit(own, one, { chainSequence: 0n })
    own.bundle([hashOf(zero)], 'b')
    expect(own.mined([{ hash: hashOf(zero), sender: zero.sender, nonce: 0n }], { blockNumber: 2 })).toEqual(
      [],
    )
    expect(own.size).toBe(1)
    expect(select(own)).toEqual([one])
  })

  test('drop those whose nonce another operation used', () => {
    const own = pool()
    const op = userOp()
    admit(own, op)
    const foreign = { hash: hash(99), sender: op.sender, nonce: 0n }
    expect(own.mined([foreign], { blockNumber: 2 })).toEqual([
      {
        hash: hashOf(op),
        sender: op.sender,
        state: {
          kind: 'dropped',
          reason: {
            code: -32000,
            message: 'its nonce was used by another operation',
            data: { by: hash(99) },
          },
        },
      },
    ])
  })

  test('undone by a reorg make the line wait for the restored operation', () => {
    const own = pool()
    const [zero, one] = [userOp({ nonce: 0n }), userOp({ nonce: 1n })]
    admit(own, zero, { chainSequence: 0n })
    admit(own, one, { chainSequence: 0n })
    const mined = { hash: hashOf(zero), sender: zero.sender, nonce: 0n }
    own.mined([mined], { blockNumber: 2 })
    own.unmined([mined])
    expect(select(own)).toEqual([])
    own.restore(candidate(zero), 0)
    expect(select(own)).toEqual([zero])
    expect(own.reputation()).toEqual([])
  })
})

describe('paymasters', () => {
  const sponsored = (sender: number, changes = {}) =>
    userOp({ sender: address(sender), paymaster: address(77), maxFeePerGas: 10n, ...changes })
  const deposit = (wei: bigint) => (op: ReturnType<typeof userOp>) =>
    facts(op, { paymaster: { ...staked, address: address(77), deposit: wei } })

  test('must cover all of their pending operations', () => {
    const own = pool()
    const [first, second] = [sponsored(1), sponsored(2)]
    const enoughForOne = deposit(2_999_999n)
    admit(own, first, { facts: enoughForOne(first) })
    expect(refusal(() => admit(own, second, { facts: enoughForOne(second) }))).toMatchObject({
      code: -32508,
      data: { paymaster: address(77), reserved: '0x16e360', needed: '0x16e360' },
    })
    admit(own, second, { facts: deposit(3_000_000n)(second) })
    expect(own.paymasters()).toEqual([address(77)])
  })

  test('whose deposit shrinks lose the cheapest first, never what is in flight', () => {
    const own = pool()
    const [small, middle, large] = [
      sponsored(1),
      sponsored(2, { callGasLimit: 60_000n }),
      sponsored(3, { callGasLimit: 70_000n }),
    ]
    for (const op of [small, middle, large]) admit(own, op, { facts: deposit(10n ** 18n)(op) })
    own.bundle([hashOf(small)], 'b')
    const effects = own.setDeposit(address(77), 3_300_000n)
    expect(effects.map(({ hash, state }) => [hash, state.kind])).toEqual([[hashOf(middle), 'dropped']])
  })

  test('unstaked have ten operations, and more with a good record', () => {
    const own = pool()
    for (let sender = 1; sender <= 10; sender++) admit(own, sponsored(sender))
    expect(refusal(() => admit(own, sponsored(11)))).toMatchObject({
      code: -32005,
      data: { entity: 'paymaster', address: address(77), allowed: 10 },
    })
    own.setReputation([{ address: address(77), opsSeen: 10, opsIncluded: 10 }])
    for (let sender = 11; sender <= 24; sender++) admit(own, sponsored(sender))
    expect(refusal(() => admit(own, sponsored(25))).data).toMatchObject({ allowed: 24 })
  })

  test('may not be a sender here, nor a sender a paymaster', () => {
    const own = pool()
    admit(own, userOp({ sender: address(77) }))
    expect(refusal(() => admit(own, sponsored(1)))).toMatchObject({ code: -32502, data: { rule: 'STO-041' } })
    const other = pool()
    admit(other, sponsored(1))
    expect(refusal(() => admit(other, userOp({ sender: address(77) })))).toMatchObject({
      code: -32502,
      data: { rule: 'STO-040', entity: 'account', address: address(77) },
    })
  })
})

describe('reputation', () => {
  const seen = (opsSeen: number, opsIncluded = 0) => [{ address: address(1), opsSeen, opsIncluded }]

  test('is ok, throttled, banned by the missing inclusions', () => {
    const own = pool()
    const statusAfter = (opsSeen: number, opsIncluded?: number) => {
      own.setReputation(seen(opsSeen, opsIncluded))
      return own.reputation()[0]?.status
    }
    expect(statusAfter(109)).toBe('ok')
    expect(statusAfter(110)).toBe('throttled')
    expect(statusAfter(110, 1)).toBe('ok')
    expect(statusAfter(509)).toBe('throttled')
    expect(statusAfter(510)).toBe('banned')
  })

  test('of a banned entity refuses its operations', () => {
    const own = pool()
    own.setReputation(seen(1000))
    const error = { code: -32504, data: { entity: 'account', address: address(1) } }
    expect(refusal(() => own.precheck(userOp(), 0))).toMatchObject(error)
    expect(refusal(() => admit(own, userOp()))).toMatchObject(error)
  })

  test('of a throttled one allows four in the pool, four in a bundle, for ten blocks', () => {
    const own = pool()
    own.setReputation([{ address: address(77), opsSeen: 200, opsIncluded: 0 }])
    const op = (sender: number) => userOp({ sender: address(sender), paymaster: address(77) })
    own.tick({ now: 0, timestamp: 0, blockNumber: 100 })
    for (let sender = 1; sender <= 4; sender++) admit(own, op(sender))
    expect(refusal(() => admit(own, op(5)))).toMatchObject({ code: -32504, data: { entity: 'paymaster' } })
    own.restore(candidate(op(5)), 0)
    expect(select(own)).toHaveLength(4)
    expect(own.tick({ now: 0, timestamp: 0, blockNumber: 110 })).toEqual([])
    expect(own.tick({ now: 0, timestamp: 0, blockNumber: 111 })).toHaveLength(5)
  })

  test('decays by a 24th every full hour, exactly and late if need be', () => {
    const own = pool()
    const tick = (now: number) => own.tick({ now, timestamp: 0, blockNumber: 1 })
    tick(0)
    own.setReputation(seen(240, 24))
    tick(3_599_999)
    expect(own.reputation()[0]).toMatchObject({ opsSeen: 240, opsIncluded: 24 })
    tick(3_600_000)
    expect(own.reputation()[0]).toMatchObject({ opsSeen: 230, opsIncluded: 23 })
    tick(3 * 3_600_000 + 5)
    expect(own.reputation()[0]).toMatchObject({ opsSeen: 210, opsIncluded: 21 })
    tick(1000 * 3_600_000)
    expect(own.reputation()).toEqual([])
  })

  test('counts paymasters and factories, and senders only when staked', () => {
    const own = pool()
    const op = userOp({ paymaster: address(77), factory: address(78) })
    admit(own, op)
    expect(own.reputation().map((view) => view.address)).toEqual([address(78), address(77)])
    const other = userOp({ sender: address(2) })
    admit(own, other, { facts: facts(other, { sender: staked }) })
    expect(own.reputation().map((view) => view.address)).toContain(address(2))
    own.mined([{ hash: hashOf(op), sender: op.sender, nonce: 0n }], { blockNumber: 2 })
    expect(own.reputation().find((view) => view.address === address(77))).toMatchObject({
      opsSeen: 1,
      opsIncluded: 1,
    })
  })

  test('does not touch whitelisted entities', () => {
    const own = pool({ whitelistedEntities: { account: [address(1)], factory: [], paymaster: [] } })
    own.setReputation(seen(10_000))
    expect(admit(own, userOp())).toHaveLength(1)
  })
})

describe('selection', () => {
  const paying = (sender: number, max: bigint, priority: bigint) =>
    userOp({ sender: address(sender), maxFeePerGas: max, maxPriorityFeePerGas: priority })

  test('is by what is paid above the base fee', () => {
    const own = pool()
    const [a, b, c] = [paying(1, 100n, 30n), paying(2, 60n, 50n), paying(3, 200n, 20n)]
    for (const op of [a, b, c]) admit(own, op)
    expect(select(own, { baseFee: 0n })).toEqual([b, a, c])
    expect(select(own, { baseFee: 40n })).toEqual([a, b, c])
    expect(select(own, { baseFee: 45n })).toEqual([a, c, b])
    expect(select(own, { baseFee: 61n })).toEqual([a, c])
    expect(select(own, { baseFee: 201n })).toEqual([])
  })

  test('takes who came first among equals', () => {
    const own = pool()
    const ops = [3, 1, 2].map((sender) => paying(sender, 10n, 1n))
    for (const op of ops) admit(own, op)
    expect(select(own)).toEqual(ops)
  })

  test('takes one operation of an unstaked sender, also while another is in flight', () => {
    const own = pool()
    const [one, other] = [userOp({ nonce: 0n }), userOp({ nonce: 1n << 64n })]
    admit(own, one)
    admit(own, other)
    expect(select(own)).toEqual([one])
    own.bundle([hashOf(one)], 'b')
    expect(select(own)).toEqual([])
  })

  test('takes all consecutive nonces of a staked sender, in order', () => {
    const own = pool()
    const ops = [0n, 1n, 2n].map((nonce) => userOp({ nonce, maxPriorityFeePerGas: 1n + nonce }))
    for (const op of ops) admit(own, op, { chainSequence: 0n, facts: facts(op, { sender: staked }) })
    expect(select(own)).toEqual(ops)
  })

  test('keeps the caps on gas, bytes and operations', () => {
    const own = pool()
    for (let sender = 1; sender <= 5; sender++) admit(own, userOp({ sender: address(sender) }))
    expect(select(own, { maxGas: 450_000n })).toHaveLength(3)
    expect(select(own, { maxBytes: 1200 })).toHaveLength(2)
    expect(select(own, { maxOperations: 4 })).toHaveLength(4)
  })

  test('passes over what is not valid yet, or not long enough', () => {
    const own = pool()
    const timed = (sender: number, range: { validAfter?: number; validUntil?: number }) => {
      const op = userOp({ sender: address(sender) })
      admit(own, op, { facts: facts(op, range) })
      return op
    }
    timed(1, { validAfter: 1001 })
    timed(2, { validUntil: 1029 })
    const fits = timed(3, { validAfter: 1000, validUntil: 1030 })
    expect(select(own, { timestamp: 1000 })).toEqual([fits])
  })

  test('isolates a suspect with growing back-off, and gives it up in the end', () => {
    const own = pool()
    const [bad, good] = [userOp({ maxPriorityFeePerGas: 9n * gwei }), userOp({ sender: address(2) })]
    admit(own, bad)
    admit(own, good)
    const reason = { code: -32500, message: 'AA23 reverted' }
    expect(own.failed(hashOf(bad), reason, 0)).toEqual([])
    expect(select(own, { now: 999 })).toEqual([good])
    expect(select(own, { now: 1000 })).toEqual([good])
    own.bundle([hashOf(good)], 'b')
    expect(select(own, { now: 1000 })).toEqual([bad])
    own.release([hashOf(good)])
    expect(select(own, { now: 3001 })).toEqual([bad])
    for (let count = 2; count <= 5; count++) expect(own.failed(hashOf(bad), reason, 0)).toEqual([])
    expect(own.failed(hashOf(bad), reason, 0)).toEqual([
      { hash: hashOf(bad), sender: bad.sender, state: { kind: 'dropped', reason } },
    ])
  })
})

describe('time', () => {
  test('expires what its time range ends', () => {
    const own = pool()
    const op = userOp()
    admit(own, op, { facts: facts(op, { validUntil: 1000 }) })
    expect(own.tick({ now: 999_999, timestamp: 999, blockNumber: 1 })).toEqual([])
    expect(own.tick({ now: 1_000_000, timestamp: 1000, blockNumber: 1 })[0]?.state).toEqual({
      kind: 'expired',
      reason: { code: -32503, message: 'expired', data: { validUntil: '0x3e8' } },
    })
  })

  test('drops what waited longer than maxPoolAge, unless it is in flight', () => {
    const own = pool()
    const [waiting, flying] = [userOp(), userOp({ sender: address(2) })]
    admit(own, waiting)
    admit(own, flying)
    own.bundle([hashOf(flying)], 'b')
    own.submitted([hashOf(flying)], 'b', hash(5))
    const effects = own.tick({ now: 3_600_000, timestamp: 0, blockNumber: 1 })
    expect(effects.map(({ hash, state }) => [hash, state.kind])).toEqual([[hashOf(waiting), 'dropped']])
    expect(own.size).toBe(1)
  })
})

describe('size', () => {
  const paying = (sender: number, priority: bigint) =>
    userOp({ sender: address(sender), maxPriorityFeePerGas: priority })

  test('evicts the lowest fee for a higher one, and refuses a lower one', () => {
    const own = pool({ maxPoolSize: 2 })
    const [low, high] = [paying(1, 1n), paying(2, 3n)]
    admit(own, low)
    admit(own, high)
    expect(refusal(() => admit(own, paying(3, 1n)))).toMatchObject({
      code: -32005,
      data: { retryAfterMs: 2000 },
    })
    const effects = admit(own, paying(3, 2n))
    expect(effects[0]).toMatchObject({
      hash: hashOf(low),
      state: { kind: 'dropped', reason: { code: -32005 } },
    })
    expect(own.size).toBe(2)
  })

  test('never evicts what is in flight', () => {
    const own = pool({ maxPoolSize: 1 })
    const low = paying(1, 1n)
    admit(own, low)
    own.bundle([hashOf(low)], 'b')
    expect(refusal(() => admit(own, paying(2, 5n))).code).toBe(-32005)
  })

  test('evicts the last nonce of a line, so that no gap opens', () => {
    const own = pool({ maxPoolSize: 2 })
    const [zero, one] = [
      userOp({ nonce: 0n, maxPriorityFeePerGas: 1n }),
      userOp({ nonce: 1n, maxPriorityFeePerGas: 2n }),
    ]
    admit(own, zero, { chainSequence: 0n })
    admit(own, one, { chainSequence: 0n })
    expect(admit(own, paying(2, 5n))[0]?.hash).toBe(hashOf(one))
  })
})

test('clear drops all but what is submitted, each with a reason', () => {
  const own = pool()
  const [waiting, flying] = [userOp(), userOp({ sender: address(2) })]
  admit(own, waiting)
  admit(own, flying)
  own.bundle([hashOf(flying)], 'b')
  own.submitted([hashOf(flying)], 'b', hash(5))
  expect(own.clear().map(({ hash, state }) => [hash, state.kind])).toEqual([[hashOf(waiting), 'dropped']])
  expect([...own.entries()].map((entry) => entry.hash)).toEqual([hashOf(flying)])
})

test('release brings a bundle back', () => {
  const own = pool()
  const op = userOp()
  admit(own, op)
  own.bundle([hashOf(op)], 'b')
  expect(own.release([hashOf(op)])).toEqual([
    { hash: hashOf(op), sender: op.sender, state: { kind: 'pending' } },
  ])
  expect(select(own)).toEqual([op])
})
