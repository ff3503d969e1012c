import { describe, expect, test } from 'bun:test'
import { choosePolicy, isOpenToOthers } from '../../../src/paymaster/policies/choose.ts'
import { enforcePolicy, type PolicyRequest } from '../../../src/paymaster/policies/enforce.ts'
import type { Policy, Spent } from '../../../src/types/paymaster/policy.ts'
import { address } from '../../support/builders.ts'
import { limited, policy } from './builders.ts'

const nothing: Spent = { usd: 0n, native: 0n, count: 0 }
const cost: Spent = { usd: 10n, native: 100n, count: 1 }
const request: PolicyRequest = { sender: address(1), chainId: 1, version: '0.7', now: 1000, calls: undefined }

/** The machine code of the refusal, or `taken`. */
function outcome(
  changes: Partial<Policy>,
  {
    user = nothing,
    global = nothing,
    ...rest
  }: Partial<PolicyRequest> & { user?: Spent; global?: Spent } = {},
): string {
  try {
    enforcePolicy(policy(changes), { ...request, ...rest }, cost, { user, global })
    return 'taken'
  } catch (error) {
    return (error as { reason: string }).reason
  }
}

test('a policy without limits takes everything', () => {
  expect(outcome({})).toBe('taken')
})

test('a disabled policy takes nothing', () => {
  expect(outcome({ isEnabled: false })).toBe('policy_disabled')
})

describe('time', () => {
  const window = { isPerpetual: false, startTime: 1000, endTime: 2000 }
  test.each([
    [999, 'policy_not_in_time'],
    [1000, 'taken'],
    [1999, 'taken'],
    [2000, 'policy_not_in_time'],
  ])('at %d ms of a policy from 1000 to 2000: %s', (now, expected) => {
    expect(outcome(window, { now })).toBe(expected)
  })
  test('a perpetual policy has no times, whatever they say', () => {
    expect(outcome({ ...window, isPerpetual: true }, { now: 5000 })).toBe('taken')
  })
})

describe('scope', () => {
  test.each([
    [{ isApplicableToAllNetworks: false, enabledChains: [1, 10] }, 'taken'],
    [{ isApplicableToAllNetworks: false, enabledChains: [10] }, 'policy_out_of_scope'],
    [{ isApplicableToAllNetworks: true, enabledChains: [10] }, 'taken'],
    [{ versions: ['0.7'] }, 'taken'],
    [{ versions: ['0.6', '0.8'] }, 'policy_out_of_scope'],
  ] as const)('%o: %s', (changes, expected) => {
    expect(outcome(changes)).toBe(expected)
  })
})

describe('lists', () => {
  test.each([
    [{ blockList: [address(1)] }, 'sender_blocked'],
    [{ blockList: [address(2)] }, 'taken'],
    [{ allowList: [address(1)] }, 'taken'],
    [{ allowList: [address(2)] }, 'sender_not_allowed'],
    [{ allowList: [] }, 'sender_not_allowed'],
    [{ allowList: [address(1)], blockList: [address(1)] }, 'sender_blocked'],
  ] as const)('%o: %s', (changes, expected) => {
    expect(outcome(changes)).toBe(expected)
  })
})

describe('targets', () => {
  const allowedTargets = [{ address: address(7), selector: '0xa9059cbb' as const }]
  test.each([
    [[{ to: address(7), selector: '0xa9059cbb' as const }], 'taken'],
    [[{ to: address(8), selector: '0xa9059cbb' as const }], 'target_not_allowed'],
    [[{ to: address(7), selector: '0x095ea7b3' as const }], 'target_not_allowed'],
    [undefined, 'target_not_allowed'],
  ])('%o: %s', (calls, expected) => {
    expect(outcome({ allowedTargets }, { calls })).toBe(expected)
  })
})

describe('each limit below, at and above', () => {
  const used: Spent = { usd: 90n, native: 900n, count: 9 }
  const cases = [
    ['perOperation', 'usd', 10n, {}, 'per_operation_limit_usd'],
    ['perOperation', 'native', 100n, {}, 'per_operation_limit_native'],
    ['perUser', 'usd', 100n, { user: used }, 'per_user_limit_usd'],
    ['perUser', 'native', 1000n, { user: used }, 'per_user_limit_native'],
    ['perUser', 'count', 10, { user: used }, 'per_user_limit_count'],
    ['global', 'usd', 100n, { global: used }, 'global_limit_usd'],
    ['global', 'native', 1000n, { global: used }, 'global_limit_native'],
    ['global', 'count', 10, { global: used }, 'global_limit_count'],
  ] as const
  test.each(cases)('%s in %s', (reach, measure, limit, before, reason) => {
    const one = typeof limit === 'bigint' ? 1n : 1
    const at = (value: bigint | number) => ({ [reach]: limited({ [measure]: value }) })
    expect(outcome(at((limit as bigint) + (one as bigint)), before)).toBe('taken')
    expect(outcome(at(limit), before)).toBe('taken')
    expect(outcome(at((limit as bigint) - (one as bigint)), before)).toBe(reason)
    expect(outcome({ [reach]: { ...limited({ [measure]: 0n }), applicable: false } }, before)).toBe('taken')
  })
  test('of a reach without that kind of limit nothing is asked', () => {
    expect(outcome({ global: limited({}) }, { global: used })).toBe('taken')
  })
})

describe('which policy decides', () => {
  const book = (policies: readonly Policy[]) => ({
    byId: (id: number) => policies.find((known) => known.id === id),
    ofTenant: (tenantId: string) => policies.filter((known) => known.tenantId === tenantId),
  })
  const asked = { tenantId: 't1', policyId: undefined, chainId: 1, version: '0.7' as const }
  const chosen = (policies: readonly Policy[], changes: object = {}) => {
    try {
      return choosePolicy({ ...asked, ...changes }, book(policies))?.id
    } catch (error) {
      return (error as { reason: string }).reason
    }
  }

  test('none where the tenant has none', () => {
    expect(chosen([policy({ id: 5, tenantId: 't2' })])).toBeUndefined()
  })
  test('the newest that is enabled and in scope', () => {
    const policies = [
      policy({ id: 4, isEnabled: false }),
      policy({ id: 3, versions: ['0.6'] }),
      policy({ id: 2 }),
      policy({ id: 1 }),
    ]
    expect(chosen(policies)).toBe(2)
  })
  test('a tenant with disabled policies only has no open purse', () => {
    expect(chosen([policy({ isEnabled: false })])).toBe('no_policy_in_scope')
  })
  test('the one that is named, in scope or not', () => {
    expect(chosen([policy({ id: 2 }), policy({ id: 1, versions: ['0.6'] })], { policyId: 1 })).toBe(1)
  })
  test("another tenant's is unknown", () => {
    expect(chosen([policy({ id: 9, tenantId: 't2' })], { policyId: 9 })).toBe('policy_not_found')
    expect(chosen([], { policyId: 9 })).toBe('policy_not_found')
  })
  test('a public one of another tenant, if it has a limit', () => {
    const open = policy({ id: 9, tenantId: 't2', isPublic: true, perUser: limited({ count: 1 }) })
    expect(chosen([open], { policyId: 9 })).toBe(9)
    expect(chosen([{ ...open, perUser: limited({}) }], { policyId: 9 })).toBe('policy_not_found')
    expect(isOpenToOthers({ ...open, perUser: { ...open.perUser, applicable: false } })).toBe(false)
  })
})
