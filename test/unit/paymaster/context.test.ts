import { describe, expect, test } from 'bun:test'
import { getAddress } from 'viem'
import { readContext } from '../../../src/paymaster/sponsor/context.ts'
import { validityWindow } from '../../../src/paymaster/sponsor/window.ts'

const token = '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789'
const sponsored = { mode: 'sponsor', policyId: undefined, validAfter: undefined, validUntil: undefined }
const fault = (act: () => unknown): string => {
  try {
    act()
    return 'none'
  } catch (error) {
    const { reason, message } = error as { reason: string; message: string }
    return `${reason}: ${message}`
  }
}

describe('a context', () => {
  test.each([
    [undefined, sponsored],
    [null, sponsored],
    [{}, sponsored],
    [{ mode: null, token: null }, sponsored],
    [{ mode: 'sponsor', token }, sponsored],
    [{ policyId: 7 }, { ...sponsored, policyId: 7 }],
    [{ policyId: '7' }, { ...sponsored, policyId: 7 }],
    [{ sponsorshipPolicyId: '8' }, { ...sponsored, policyId: 8 }],
    [
      { policyId: 7, sponsorshipPolicyId: 8 },
      { ...sponsored, policyId: 7 },
    ],
    [
      { validAfter: 5, validUntil: '6' },
      { ...sponsored, validAfter: 5, validUntil: 6 },
    ],
    [{ token }, { mode: 'commonerc20', token: getAddress(token) }],
    [
      { mode: 'multitoken', token: token.toUpperCase().replace('0X', '0x') },
      { mode: 'multitoken', token: getAddress(token) },
    ],
    [
      { mode: 'erc20', token: 'USDC' },
      { mode: 'erc20', token: 'USDC' },
    ],
  ] as const)('%o', (given, expected) => {
    expect(readContext(given)).toEqual(expected as never)
  })

  const unsupported = 'unsupported_token: Unsupported network/token'
  const unknownPolicy = 'policy_not_found: Sponsorship policy not found'
  test.each([
    [{ mode: 'free' }, 'invalid_mode: Invalid mode selected'],
    [{ mode: 1 }, 'invalid_mode: Invalid mode selected'],
    [[], 'invalid_context: Invalid context'],
    ['sponsor', 'invalid_context: Invalid context'],
    [{ mode: 'erc20' }, unsupported],
    [{ mode: 'erc20', token: '' }, unsupported],
    [{ mode: 'multitoken' }, unsupported],
    [{ mode: 'multitoken', token: 'USDC' }, unsupported],
    [{ token: 5 }, unsupported],
    [{ policyId: 'sp_funny' }, unknownPolicy],
    [{ policyId: 1.5 }, unknownPolicy],
    [{ policyId: { $gt: 0 } }, unknownPolicy],
    [{ validUntil: 'soon' }, 'invalid_validUntil: Invalid validUntil: milliseconds since 1970 are expected'],
    [{ validAfter: -1 }, 'invalid_validAfter: Invalid validAfter: milliseconds since 1970 are expected'],
  ] as const)('%o is refused', (given, expected) => {
    expect(fault(() => readContext(given as never))).toBe(expected)
  })
})

describe('the window', () => {
  const now = 1_000_000_000
  const asked = (validAfter?: number, validUntil?: number) => ({ validAfter, validUntil })

  test('is from a minute ago for ten minutes, unless the caller says otherwise', () => {
    expect(validityWindow(asked(), now)).toEqual({ validAfter: 999_940, validUntil: 1_000_600 })
    expect(validityWindow(asked(0, now + 1999), now)).toEqual({ validAfter: 0, validUntil: 1_000_001 })
  })
  test.each([
    [asked(undefined, now), 'validUntil is in the past'],
    [asked(now + 5000, now + 5999), 'validUntil must be after validAfter'],
    [asked(now + 900_000, undefined), 'validUntil must be after validAfter'],
    [asked(undefined, now + 86_400_001), 'validUntil must be within 24 hours'],
  ])('%o is none', (given, expected) => {
    expect(fault(() => validityWindow(given, now))).toBe(
      `invalid_window: Invalid validity window: ${expected}`,
    )
  })
  test('of a whole day is taken', () => {
    expect(validityWindow(asked(undefined, now + 86_400_000), now).validUntil).toBe(1_086_400)
  })
})
