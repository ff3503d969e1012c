import { describe, expect, test } from 'bun:test'
import type { ErrorData } from '../../../src/base/errors.ts'
import type { PoolSettings } from '../../../src/pool/settings.ts'
import type { PoolPort } from '../../../src/types/ports/pool.ts'
import type { ValidationFacts } from '../../../src/types/verdict.ts'
import { address, candidate, facts, hash, hashOf, staked, userOp } from '../../support/builders.ts'
import { admit, effect, mined, pool, refusal, select } from './support.ts'

const hour = 3_600_000
const tick = (own: PoolPort, now: number, blockNumber = 1) => own.tick({ now, timestamp: 0, blockNumber })
const counts = (own: PoolPort) =>
  Object.fromEntries(own.reputation().map((view) => [Number(view.address), [view.opsSeen, view.opsIncluded]]))
const known = (index: number, opsSeen: number, opsIncluded = 0) => [
  { address: address(index), opsSeen, opsIncluded },
]
const [factory, paymaster] = [address(78), address(77)]
const helped = userOp({ factory, paymaster })
const blames = (entity: string): ErrorData => ({ entity })

describe('status', () => {
  const statusOf = (opsSeen: number, opsIncluded?: number, changes = {}) => {
    const own = pool(changes)
    own.setReputation(known(1, opsSeen, opsIncluded))
    return own.reputation()[0]?.status
  }

  test('is throttled and banned by the inclusions that are missing', () => {
    expect(statusOf(109)).toBe('ok')
    expect(statusOf(110)).toBe('throttled')
    expect(statusOf(110, 1)).toBe('ok')
    expect(statusOf(509)).toBe('throttled')
    expect(statusOf(510)).toBe('banned')
    expect(statusOf(510, 1)).toBe('throttled')
  })

  test('is by the configured numbers', () => {
    expect(statusOf(6, 0, { minInclusionDenominator: 2, throttlingSlack: 2, banSlack: 4 })).toBe('throttled')
    expect(statusOf(10, 0, { minInclusionDenominator: 2, throttlingSlack: 2, banSlack: 4 })).toBe('banned')
  })

  test('of the whitelisted is always ok', () => {
    const whitelistedEntities = { account: [], factory: [], paymaster: [address(1)] }
    expect(statusOf(10_000, 0, { whitelistedEntities })).toBe('ok')
  })
})

describe('SREP-040: a burst of operations of a young staked paymaster', () => {
  const sponsored = (sender: number) => userOp({ sender: address(1000 + sender), paymaster })
  const burst = (
    size: number,
    changes: Partial<ValidationFacts> = {},
    settings: Partial<PoolSettings> = {},
  ) => {
    const own = pool(settings)
    const ops = Array.from({ length: size }, (_, index) => sponsored(index))
    for (const op of ops) {
      const rich = { ...staked, address: paymaster, deposit: 10n ** 20n }
      admit(own, op, { facts: facts(op, { paymaster: rich, ...changes }) })
    }
    return { own, ops }
  }
  const statusIn = (own: PoolPort) => own.reputation().find((view) => view.address === paymaster)

  test('is counted, and held against nobody while it can still be included', () => {
    const { own } = burst(600)
    expect(statusIn(own)).toEqual({ address: paymaster, opsSeen: 600, opsIncluded: 0, status: 'ok' })
    expect(select(own, { maxOperations: 600, maxGas: 10n ** 12n })).toHaveLength(600)
    tick(own, 0, 100)
    expect(own.size).toBe(600)
  })

  test('throttles when it fails the checks of its bundles', () => {
    const { own, ops } = burst(110)
    const reason = { code: -32500, message: 'AA33', data: blames('paymaster') }
    for (const op of ops.slice(1)) own.failed(hashOf(op), reason, 0)
    expect(statusIn(own)?.status).toBe('ok')
    own.failed(hashOf(sponsored(0)), reason, 0)
    expect(statusIn(own)?.status).toBe('throttled')
  })

  test('is no excuse for one that is punished', () => {
    const { own } = burst(12, {}, { banSlack: 999 })
    const reason = { code: -32500, message: 'AA33', data: blames('paymaster') }
    for (let count = 1; count <= 5; count++) own.failed(hashOf(sponsored(0)), reason, 0)
    expect(statusIn(own)).toEqual({ address: paymaster, opsSeen: 10_000, opsIncluded: 0, status: 'banned' })
  })

  test('throttles when it is given up, and bans when it is large', () => {
    const { own } = burst(600, { validUntil: 50 })
    own.tick({ now: 0, timestamp: 51, blockNumber: 1 })
    expect(statusIn(own)).toEqual({ address: paymaster, opsSeen: 600, opsIncluded: 0, status: 'banned' })
    const { own: few } = burst(110, { validUntil: 50 })
    few.tick({ now: 0, timestamp: 51, blockNumber: 1 })
    expect(statusIn(few)?.status).toBe('throttled')
  })
})

describe('counts', () => {
  test('grow for the helpers of what is admitted and included, and for staked senders', () => {
    const own = pool()
    const rich = userOp({ sender: address(2) })
    admit(own, helped)
    admit(own, rich, { facts: facts(rich, { sender: staked }) })
    expect(counts(own)).toEqual({ 77: [1, 0], 78: [1, 0], 2: [1, 0] })
    own.mined([mined(helped), mined(rich)], { blockNumber: 2 })
    expect(counts(own)).toEqual({ 77: [1, 1], 78: [1, 1], 2: [1, 1] })
  })

  test('ignore what was mined without having been here', () => {
    const own = pool()
    own.mined([mined(helped)], { blockNumber: 2 })
    expect(counts(own)).toEqual({})
  })

  test('go back with a reorg, once', () => {
    const own = pool()
    const other = userOp({ sender: address(2), paymaster })
    admit(own, helped)
    admit(own, other)
    own.mined([mined(helped), mined(other)], { blockNumber: 2 })
    own.unmined([mined(helped)])
    own.unmined([mined(helped)])
    expect(counts(own)).toEqual({ 77: [2, 1], 78: [1, 0] })
    own.restore(candidate(helped), 0)
    own.mined([mined(helped)], { blockNumber: 2 })
    expect(counts(own)).toEqual({ 77: [2, 2], 78: [1, 1] })
  })

  test('GREP-050: go back for who is not part of a replacement', () => {
    const own = pool()
    admit(own, helped)
    const instead = userOp({ factory, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 12n })
    admit(own, instead)
    expect(counts(own)).toEqual({ 78: [2, 0] })
  })

  test('EREP-015: go back for a paymaster when account or factory fails before the bundle', () => {
    for (const [entity, left] of [
      ['account', 0],
      ['factory', 0],
      ['paymaster', 1],
    ] as const) {
      const own = pool()
      admit(own, helped)
      own.drop(hashOf(helped), { code: -32500, message: 'AA', data: blames(entity) })
      expect(counts(own)[77] ?? [0, 0]).toEqual([left, 0])
    }
  })

  test('lose a 24th every full hour, exactly and late if need be', () => {
    const own = pool()
    tick(own, 500)
    own.setReputation(known(1, 240, 25))
    tick(own, 500 + hour - 1)
    expect(counts(own)).toEqual({ 1: [240, 25] })
    tick(own, 500 + hour)
    expect(counts(own)).toEqual({ 1: [230, 23] })
    tick(own, 500 + 3 * hour + 5)
    expect(counts(own)).toEqual({ 1: [210, 21] })
    tick(own, 500 + 4 * hour)
    expect(counts(own)).toEqual({ 1: [201, 20] })
  })

  test('are forgotten when nothing is left of them', () => {
    const own = pool()
    tick(own, 0)
    own.setReputation(known(1, 1000, 10))
    tick(own, 1000 * hour)
    expect(own.reputation()).toEqual([])
  })

  test('are set and cleared by the operator', () => {
    const own = pool()
    own.setReputation([...known(1, 600), ...known(2, 3, 2)])
    expect(own.reputation()).toEqual([
      { address: address(1), opsSeen: 600, opsIncluded: 0, status: 'banned' },
      { address: address(2), opsSeen: 3, opsIncluded: 2, status: 'ok' },
    ])
    own.clearReputation()
    expect(own.reputation()).toEqual([])
    own.precheck(userOp(), 0)
  })
})

describe('GREP-010: a banned address', () => {
  const refused = (kind: string, index: number) => ({
    code: -32504,
    message: `${kind} ${address(index)} is banned`,
    data: {
      entity: kind,
      address: address(index),
      hint: 'too few of its operations were included; its reputation recovers by the hour',
    },
  })

  test.each([
    ['account', 1],
    ['paymaster', 77],
    ['factory', 78],
  ])('is refused as %s', (kind, index) => {
    const own = pool()
    own.setReputation(known(index, 1000))
    expect(refusal(() => own.precheck(helped, 0))).toEqual(refused(kind, index))
    expect(refusal(() => admit(own, helped))).toEqual(refused(kind, index))
  })

  test('loses its operations, except what is in flight, and is in no bundle', () => {
    const own = pool()
    const flying = userOp({ sender: address(2), paymaster })
    admit(own, helped)
    admit(own, flying)
    own.bundle([hashOf(flying)], 'bundle')
    own.setReputation(known(77, 1000))
    expect(select(own)).toEqual([])
    const reason = {
      code: -32504,
      message: `paymaster ${paymaster} is banned`,
      data: { entity: 'paymaster', address: paymaster },
    }
    expect(tick(own, 0)).toEqual([effect(helped, { kind: 'dropped', reason })])
  })
})

test('EREP-070: who is caught using less gas in a bundle is throttled', () => {
  const own = pool()
  const op = userOp({ paymaster: address(9) })
  admit(own, op)
  const reason = { code: -32502, message: '', data: { rule: 'EREP-070', entity: 'paymaster' } }
  own.throttle(hashOf(op), reason)
  expect(own.reputation()).toEqual([
    { address: address(9), opsSeen: 110, opsIncluded: 0, status: 'throttled' },
  ])
})

describe('GREP-020: a throttled address', () => {
  const sponsored = (sender: number) => userOp({ sender: address(sender), paymaster })

  const throttled = () => {
    const own = pool()
    own.setReputation(known(77, 200))
    tick(own, 0, 100)
    return own
  }

  test('has four operations at most', () => {
    const own = throttled()
    for (let sender = 1; sender <= 4; sender++) admit(own, sponsored(sender))
    const refused = { code: -32504, message: `paymaster ${paymaster} is throttled` }
    expect(refusal(() => own.precheck(sponsored(5), 0))).toMatchObject(refused)
    expect(refusal(() => admit(own, sponsored(5)))).toMatchObject(refused)
  })

  test('may replace one of them', () => {
    const own = throttled()
    for (let sender = 1; sender <= 4; sender++) admit(own, sponsored(sender))
    const dear = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 12n }
    expect(admit(own, { ...sponsored(4), ...dear })).toHaveLength(2)
  })

  test('is in a bundle four times at most', () => {
    const own = throttled()
    for (let sender = 1; sender <= 6; sender++) own.restore(candidate(sponsored(sender)), 0)
    const other = userOp({ sender: address(9), maxPriorityFeePerGas: 1n })
    admit(own, other)
    expect(select(own)).toEqual([...[1, 2, 3, 4].map(sponsored), other])
  })

  test('stays for ten blocks', () => {
    const own = throttled()
    admit(own, sponsored(1))
    expect(tick(own, 0, 110)).toEqual([])
    const reason = {
      code: -32504,
      message: `paymaster ${paymaster} is throttled`,
      data: { entity: 'paymaster', address: paymaster },
    }
    expect(tick(own, 0, 111)).toEqual([effect(sponsored(1), { kind: 'dropped', reason })])
  })

  test('stays longer when it recovers, or in flight', () => {
    const own = throttled()
    admit(own, sponsored(1))
    admit(own, sponsored(2))
    own.bundle([hashOf(sponsored(1))], 'bundle')
    own.submitted([hashOf(sponsored(1))], 'bundle', hash(5))
    own.setReputation(known(77, 200, 100))
    expect(tick(own, 0, 200)).toEqual([])
    own.setReputation(known(77, 200))
    expect(tick(own, 0, 201).map((change) => change.hash)).toEqual([hashOf(sponsored(2))])
  })

  test('is not when it is whitelisted', () => {
    const own = pool({ whitelistedEntities: { account: [], factory: [], paymaster: [paymaster] } })
    own.setReputation(known(77, 10_000))
    for (let sender = 1; sender <= 20; sender++) admit(own, sponsored(sender))
    expect(tick(own, 0, 1000)).toEqual([])
    expect(select(own)).toHaveLength(20)
  })
})

describe('GREP-040: an operation that keeps failing its bundles bans who is answerable', () => {
  const bannedBy = (entity: string, changes: Partial<ValidationFacts> = {}) => {
    const own = pool()
    admit(own, helped, { facts: facts(helped, changes) })
    const reason = { code: -32500, message: 'AA', data: blames(entity) }
    for (let count = 1; count <= 5; count++) own.failed(hashOf(helped), reason, 0)
    expect(own.size).toBe(0)
    return own.reputation().flatMap((view) => (view.status === 'banned' ? [view] : []))
  }
  const penalty = (index: number) => ({
    address: address(index),
    opsSeen: 10_000,
    opsIncluded: 0,
    status: 'banned' as const,
  })

  test('a paymaster or factory for itself', () => {
    expect(bannedBy('paymaster')).toEqual([penalty(77)])
    expect(bannedBy('factory')).toEqual([penalty(78)])
  })

  test('an unstaked account not at all', () => {
    expect(bannedBy('account')).toEqual([])
  })

  test('EREP-020: a staked factory for its account', () => {
    expect(bannedBy('account', { factory: staked })).toEqual([penalty(78)])
  })

  test('EREP-030: a staked account for itself and its paymaster', () => {
    expect(bannedBy('account', { sender: staked })).toEqual([penalty(1)])
    expect(bannedBy('paymaster', { sender: staked })).toEqual([penalty(1)])
  })

  test('nobody when nobody is blamed', () => {
    const own = pool()
    admit(own, helped)
    for (let count = 1; count <= 5; count++)
      own.failed(hashOf(helped), { code: -32500, message: 'reverted' }, 0)
    expect(own.reputation().map(({ status }) => status)).toEqual(['ok', 'ok'])
  })
})
