import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { PaymasterError } from '../../../src/paymaster/paymaster-error.ts'
import {
  formatAmount,
  nativeDigits,
  parseAmount,
  usdDigits,
} from '../../../src/paymaster/policies/amounts.ts'
import {
  formatPolicy,
  type PolicyInput,
  PolicyOutput,
  readPolicy,
} from '../../../src/paymaster/policies/wire.ts'
import { address } from '../../support/builders.ts'

const stamped = { id: 7, tenantId: 't1', createdAt: 0, updatedAt: 1000 }
/** The text, and the details. */
const fault = (input: PolicyInput): unknown => {
  try {
    return readPolicy(input)
  } catch (error) {
    if (!(error instanceof PaymasterError)) throw error
    return [error.message, error.details.details]
  }
}

describe('amounts', () => {
  test.each([
    [0, 0n],
    ['0', 0n],
    [1.5, 150_000_000n],
    ['1.5000', 150_000_000n],
    ['0.0001', 10_000n],
    [0.0001, 10_000n],
    ['007', 700_000_000n],
  ])('%p US dollars', (given, value) => {
    expect(parseAmount(given, usdDigits)).toEqual({ value })
  })
  test.each([
    [1e-18, 1n],
    ['0.000000000000000001', 1n],
    [2, 2n * 10n ** 18n],
    [1e21, 10n ** 39n],
  ])('%p native coins', (given, value) => {
    expect(parseAmount(given, nativeDigits)).toEqual({ value })
  })
  test.each([
    ['0.00001', 'has more than 4 fraction digits'],
    [0.00001, 'has more than 4 fraction digits'],
    [1e-7, 'must be a decimal number, not negative'],
    ['-1', 'must be a decimal number, not negative'],
    [-1, 'must be a decimal number, not negative'],
    [Number.NaN, 'must be a decimal number, not negative'],
    [Number.POSITIVE_INFINITY, 'must be a decimal number, not negative'],
    ['1e3', 'must be a decimal number, not negative'],
    ['0x10', 'must be a decimal number, not negative'],
    ['', 'must be a decimal number, not negative'],
    [' 1', 'must be a decimal number, not negative'],
    [(2n ** 256n).toString(), 'is out of range'],
    [2 ** 256, 'is out of range'],
  ])('%p is no amount of US dollars', (given, expected) => {
    expect(parseAmount(given, usdDigits)).toEqual({ fault: expected })
  })
  test('are shown with all of their digits, rounded up', () => {
    expect(formatAmount(0n, usdDigits)).toBe('0.0000')
    expect(formatAmount(1n, usdDigits)).toBe('0.0001')
    expect(formatAmount(123_456_780_000n, usdDigits)).toBe('1234.5678')
    expect(formatAmount(1n, nativeDigits)).toBe('0.000000000000000001')
    expect(formatAmount(15n * 10n ** 17n, nativeDigits)).toBe('1.500000000000000000')
  })
})

test('a policy of which nothing is said: everything, for ever, without limits', () => {
  const shown = formatPolicy({ ...readPolicy({}), ...stamped }, address(9))
  expect(Value.Check(PolicyOutput, shown)).toBe(true)
  expect(shown).toEqual({
    id: 7,
    walletAddress: address(9),
    name: '',
    description: '',
    isPublic: false,
    isEnabled: true,
    isApplicableToAllNetworks: true,
    enabledChains: [],
    supportedEPVersions: ['EPV_06', 'EPV_07', 'EPV_08'],
    isPerpetual: true,
    startTime: null,
    endTime: null,
    globalMaximumApplicable: false,
    globalMaximumUsd: null,
    globalMaximumNative: null,
    globalMaximumOpCount: null,
    perUserMaximumApplicable: false,
    perUserMaximumUsd: null,
    perUserMaximumNative: null,
    perUserMaximumOpCount: null,
    perOpMaximumApplicable: false,
    perOpMaximumUsd: null,
    perOpMaximumNative: null,
    addressAllowList: null,
    addressBlockList: null,
    allowedTargets: null,
    whitelistApplicable: false,
    createdAt: '1970-01-01T00:00:00.000Z',
    updatedAt: '1970-01-01T00:00:01.000Z',
  })
})

const full: PolicyInput = {
  name: 'welcome',
  description: 'first steps',
  isPublic: true,
  isEnabled: false,
  isApplicableToAllNetworks: false,
  enabledChains: [1, 10],
  supportedEPVersions: ['EPV_07'],
  isPerpetual: false,
  startTime: '2026-01-01T00:00:00.000Z',
  endTime: '2026-02-01T12:00:00',
  globalMaximumApplicable: true,
  globalMaximumUsd: 5000,
  globalMaximumNative: '1.5',
  globalMaximumOpCount: 1000,
  perUserMaximumApplicable: true,
  perUserMaximumUsd: '100.5',
  perUserMaximumNative: 0.25,
  perUserMaximumOpCount: 100,
  perOpMaximumApplicable: true,
  perOpMaximumUsd: 0.5,
  perOpMaximumNative: '0.000000000000000001',
  addressAllowList: [address(1)],
  addressBlockList: [],
  allowedTargets: [{ address: address(3), selector: '0xA9059CBB' }],
  whitelistApplicable: true,
}

test('every field is kept and shown', () => {
  expect(formatPolicy({ ...readPolicy(full), ...stamped }, address(9))).toEqual({
    ...(full as Required<PolicyInput> as never as ReturnType<typeof formatPolicy>),
    id: 7,
    walletAddress: address(9),
    endTime: '2026-02-01T12:00:00.000Z',
    globalMaximumUsd: '5000.0000',
    globalMaximumNative: '1.500000000000000000',
    perUserMaximumUsd: '100.5000',
    perUserMaximumNative: '0.250000000000000000',
    perOpMaximumUsd: '0.5000',
    perOpMaximumNative: '0.000000000000000001',
    allowedTargets: [{ address: address(3), selector: '0xa9059cbb' }],
    createdAt: '1970-01-01T00:00:00.000Z',
    updatedAt: '1970-01-01T00:00:01.000Z',
  })
})

describe('an update', () => {
  const before = readPolicy(full)
  test('with nothing changes nothing', () => {
    expect(readPolicy({}, before)).toEqual(before)
  })
  test('replaces what is sent and keeps the rest', () => {
    expect(readPolicy({ name: 'other', globalMaximumUsd: 1 }, before)).toEqual({
      ...before,
      name: 'other',
      global: { ...before.global, usd: 100_000_000n },
    })
  })
  test('takes away by null', () => {
    expect(readPolicy({ globalMaximumUsd: null, addressAllowList: null, endTime: null }, before)).toEqual({
      ...before,
      endTime: undefined,
      global: { ...before.global, usd: undefined },
      allowList: undefined,
    })
  })
})

describe('refused, with the name of the field', () => {
  test.each([
    [{ globalMaximumUsd: '1.00001' }, 'globalMaximumUsd has more than 4 fraction digits'],
    [{ perUserMaximumNative: '-1' }, 'perUserMaximumNative must be a decimal number, not negative'],
    [{ startTime: 'tomorrow' }, 'startTime must be a time in ISO 8601'],
    [{ endTime: '2026-13-01T00:00:00Z' }, 'endTime must be a time in ISO 8601'],
    [{ endTime: '2026-02-30T00:00:00Z' }, 'endTime must be a time in ISO 8601'],
    [{ startTime: '2026-02-29' }, 'startTime must be a time in ISO 8601'],
    [{ startTime: '2026-01-02', endTime: '2026-01-01' }, 'endTime must be after startTime'],
    [{ supportedEPVersions: [] }, 'supportedEPVersions must name a version'],
    [{ isPublic: true }, 'isPublic needs a limit: anyone could spend without end'],
  ] as [PolicyInput, string][])('%o', (input, expected) => {
    expect(fault(input)).toEqual(['Invalid data provided', expected])
  })
})
