import { describe, expect, test } from 'bun:test'
import type { UserOperation } from '../../../src/types/userop.ts'
import { address, facts, hash, staked, userOp } from '../../support/builders.ts'
import { admit, admitNonces, pool, refusal } from './support.ts'

const gwei = 1_000_000_000n

describe('UREP-010: an unstaked sender', () => {
  const fifth = userOp({ nonce: 4n })

  test('has four operations at most', () => {
    const own = pool()
    admitNonces(own, [0, 4])
    expect(refusal(() => admit(own, fifth, { chainSequence: 0n }))).toEqual({
      code: -32505,
      message: 'an unstaked sender may have 4 operations in the mempool',
      data: {
        entity: 'account',
        address: address(1),
        minimumStake: '0xde0b6b3a7640000',
        minimumUnstakeDelay: '0x15180',
        hint: 'wait until one of them is included, or stake the account',
      },
    })
  })

  test('has them over all its nonce keys', () => {
    const own = pool()
    for (let key = 0n; key < 4n; key++) admit(own, userOp({ nonce: key << 64n }))
    expect(refusal(() => admit(own, userOp({ nonce: 4n << 64n }))).code).toBe(-32505)
  })

  test('may replace one of the four', () => {
    const own = pool()
    admitNonces(own, [0, 4])
    const op = userOp({ nonce: 3n, maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: 20n * gwei })
    admit(own, op, { chainSequence: 0n })
    expect(own.size).toBe(4)
  })

  test('SREP-010: is one with too little stake or too short a delay', () => {
    const short = { ...staked, unstakeDelaySec: 86_399 }
    const own = pool()
    admitNonces(own, [0, 4], short)
    const admitFifth = (sender: typeof staked) => () =>
      admit(own, fifth, { chainSequence: 0n, facts: facts(fifth, { sender }) })
    expect(refusal(admitFifth(short)).code).toBe(-32505)
    expect(refusal(admitFifth({ ...staked, stake: staked.stake - 1n })).code).toBe(-32505)
  })
})

test('a staked sender has no limit', () => {
  const own = pool()
  admitNonces(own, [0, 30], staked)
  expect(own.size).toBe(30)
})

test('nor has a whitelisted one', () => {
  const own = pool({ whitelistedEntities: { account: [address(1)], factory: [], paymaster: [] } })
  admitNonces(own, [0, 30])
  expect(own.size).toBe(30)
})

describe.each(['paymaster', 'factory'] as const)('UREP-020: an unstaked %s', (kind) => {
  const helped = (sender: number): UserOperation => userOp({ sender: address(sender), [kind]: address(77) })
  const admitMany = (own: ReturnType<typeof pool>, from: number, to: number) => {
    for (let sender = from; sender <= to; sender++) admit(own, helped(sender))
  }

  test('has ten operations', () => {
    const own = pool()
    admitMany(own, 101, 110)
    expect(refusal(() => admit(own, helped(111)))).toEqual({
      code: -32005,
      message: `unstaked ${kind} ${address(77)} may have 10 operations in the mempool`,
      data: {
        entity: kind,
        address: address(77),
        retryAfterMs: 5000,
        hint: 'wait until one of them is included, or stake it',
      },
    })
  })

  test('has more with a good record: its inclusion rate times its inclusions', () => {
    const own = pool()
    own.setReputation([{ address: address(77), opsSeen: 20, opsIncluded: 20 }])
    // opsSeen grows with each of them, so the rate of 20 in 20 + 19 is what counts in the end: 10 + 10.
    admitMany(own, 101, 119)
    expect(own.size).toBe(19)
    expect(refusal(() => admitMany(own, 120, 130)).message).toContain('may have 20 operations')
    expect(own.size).toBe(20)
  })

  test('has no limit when it is whitelisted or staked', () => {
    const listed = pool({
      whitelistedEntities: { account: [], factory: [], paymaster: [], [kind]: [address(77)] },
    })
    admitMany(listed, 101, 200)
    expect(listed.size).toBe(100)
    const own = pool()
    for (let sender = 101; sender <= 150; sender++) {
      const op = helped(sender)
      const known = facts(op)
      const paymaster = known.paymaster && { ...known.paymaster, ...staked }
      admit(own, op, { facts: { ...known, paymaster, factory: known.factory && staked } })
    }
    expect(own.size).toBe(50)
  })

  test('STO-040: is no sender here', () => {
    const own = pool()
    admit(own, userOp({ sender: address(77) }))
    const refused = {
      code: -32502,
      message: `${kind} ${address(77)} is the account of another operation in the mempool`,
      data: {
        rule: 'STO-040',
        entity: kind,
        address: address(77),
        hint: 'wait until the other operation is included',
      },
    }
    expect(refusal(() => own.precheck(helped(101), 0))).toEqual(refused)
    expect(refusal(() => admit(own, helped(101)))).toEqual(refused)
  })

  test('STO-040: and no sender is it', () => {
    const own = pool()
    admit(own, helped(101))
    expect(refusal(() => admit(own, userOp({ sender: address(77) })))).toMatchObject({
      code: -32502,
      data: { rule: 'STO-040', entity: 'account', address: address(77) },
    })
    own.drop([...own.entries()][0]?.hash ?? '0x', { code: 0, message: '' })
    expect(admit(own, userOp({ sender: address(77) }))).toHaveLength(1)
  })
})

describe('STO-041: storage that is associated with an operation', () => {
  const token = address(88)
  const op = userOp({ sender: address(101) })
  const storing = {
    facts: facts(op, { scope: { associated: [token], codes: [], contextSize: 0, gasByPhase: [] } }),
  }
  const ofToken = userOp({ sender: token })

  test('is in no account of another', () => {
    const own = pool()
    admit(own, ofToken)
    expect(refusal(() => admit(own, op, storing))).toEqual({
      code: -32502,
      message: `account ${address(101)} uses storage of ${token}, an account with an operation in the mempool`,
      data: {
        rule: 'STO-041',
        entity: 'account',
        address: address(101),
        contract: token,
        hint: 'wait until the other operation is included',
      },
    })
  })

  test('and what holds it is no account while it is there', () => {
    const own = pool()
    admit(own, op, storing)
    expect(refusal(() => admit(own, ofToken))).toMatchObject({
      code: -32502,
      data: { rule: 'STO-041', address: address(101), contract: token },
    })
    own.clear()
    expect(admit(own, ofToken)).toHaveLength(1)
  })
})

describe('AUTH-040: all authorizations of a sender', () => {
  const authorization = { chainId: 1, nonce: 0, r: hash(1), s: hash(2), yParity: 0, v: 27n } as const
  const delegating = (to: number, nonce: bigint) =>
    userOp({ nonce, eip7702Auth: { ...authorization, address: address(to) } })

  test('are for one delegate', () => {
    const own = pool()
    admit(own, delegating(88, 0n))
    expect(refusal(() => own.precheck(delegating(89, 1n << 64n), 0))).toEqual({
      code: -32502,
      message: `account ${address(1)} delegates to ${address(88)} in another operation in the mempool`,
      data: {
        rule: 'AUTH-040',
        entity: 'account',
        address: address(1),
        delegate: address(88),
        hint: 'wait until the other operation is included, or replace it',
      },
    })
    expect(admit(own, delegating(88, 1n << 64n))).toHaveLength(1)
    expect(admit(own, userOp({ nonce: 2n << 64n }))).toHaveLength(1)
  })

  test('may be for another when it replaces the only one', () => {
    const own = pool()
    admit(own, delegating(88, 0n))
    const other = { ...delegating(89, 0n), maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: 20n * gwei }
    expect(admit(own, other)).toHaveLength(2)
  })
})
