import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { LimitExceeded } from '../../src/base/errors.ts'
import { openMeter, type StoredMeter } from '../../src/paymaster/credits/meter.ts'
import type { ApiKey } from '../../src/types/paymaster/tenant.ts'
import { hash } from '../support/builders.ts'
import { type OwnStore, ownStore } from '../support/paymasterStore.ts'
import { silentContext } from '../support/simulation.ts'

const key = (changes: Partial<ApiKey> = {}): ApiKey => ({
  ...{ id: 'k1', tenantId: 't1', hash: hash(1), hint: '', scopes: [], createdAt: 0 },
  ...{ creditsPerMonth: undefined, creditsPerSecond: undefined, revokedAt: undefined },
  ...changes,
})
const wait = (act: () => unknown): unknown => {
  try {
    act()
    return 'charged'
  } catch (error) {
    return error instanceof LimitExceeded ? error.data?.retryAfterMs : error
  }
}

let own: OwnStore
let meter: StoredMeter
let time = 0
const open = async (store = own.store) => openMeter({ ...silentContext(), store, now: () => time })
beforeEach(async () => {
  time = Date.parse('2026-11-30T23:00:00Z')
  own = await ownStore()
  meter = await open()
})
afterEach(() => own[Symbol.asyncDispose]())

test('a key without limits is counted and never refused', () => {
  expect(meter.charge(key(), 700)).toEqual({ cost: 700, remaining: undefined })
  expect(meter.charge(key(), 1e12)).toEqual({ cost: 1e12, remaining: undefined })
})

describe('credits of a month', () => {
  const monthly = key({ creditsPerMonth: 1000 })
  test('are spent to the last one, and not beyond', () => {
    expect(meter.charge(monthly, 700).remaining).toBe(300)
    expect(wait(() => meter.charge(monthly, 301))).toBe(3_600_000)
    expect(meter.charge(monthly, 300).remaining).toBe(0)
    expect(wait(() => meter.charge(monthly, 1))).toBe(3_600_000)
  })
  test('are there again in the next', () => {
    meter.charge(monthly, 1000)
    time = Date.parse('2026-12-01T00:00:00Z')
    expect(meter.charge(monthly, 10).remaining).toBe(990)
  })
  test('are given back for a fault of ours', () => {
    meter.charge(monthly, 700)
    meter.refund(monthly, 700)
    expect(meter.charge(monthly, 1).remaining).toBe(999)
  })
  test('survive a restart', async () => {
    meter.charge(monthly, 700)
    await meter.save()
    meter.charge(monthly, 100)
    await meter.save()
    const again = await open(await own.reopen())
    expect(again.charge(monthly, 1).remaining).toBe(199)
  })
  test('of one key are not those of another', () => {
    meter.charge(monthly, 1000)
    expect(meter.charge({ ...monthly, id: 'k2' }, 1).remaining).toBe(999)
  })
})

describe('credits of a second', () => {
  const steady = key({ creditsPerSecond: 100 })
  test('are given back for a fault of ours', () => {
    meter.charge(steady, 100)
    meter.refund(steady, 100)
    expect(wait(() => meter.charge(steady, 100))).toBe('charged')
  })
  test('come back with time', () => {
    expect(wait(() => meter.charge(steady, 60))).toBe('charged')
    expect(wait(() => meter.charge(steady, 60))).toBe(200)
    time += 200
    expect(wait(() => meter.charge(steady, 60))).toBe('charged')
  })
  test('a call that costs more than a second gives is made on credit', () => {
    expect(wait(() => meter.charge(steady, 700))).toBe('charged')
    expect(wait(() => meter.charge(steady, 10))).toBe(6100)
    time += 6100
    expect(wait(() => meter.charge(steady, 10))).toBe('charged')
  })
  test('a refused call costs nothing', () => {
    const both = key({ creditsPerSecond: 100, creditsPerMonth: 1000 })
    meter.charge(both, 100)
    expect(wait(() => meter.charge(both, 100))).toBe(1000)
    time += 1000
    expect(meter.charge(both, 100).remaining).toBe(800)
  })
})

test('what could not be stored is stored the next time', async () => {
  let fails = true
  const store = {
    ...own.store,
    saveCredits: (rows: Parameters<typeof own.store.saveCredits>[0]) =>
      fails ? Promise.reject(new Error('disk full')) : own.store.saveCredits(rows),
  }
  const brittle = await openMeter({ ...silentContext(), store, now: () => time })
  brittle.charge(key(), 5)
  await brittle.save()
  expect(await own.store.credits({ month: '2026-11' })).toEqual([])
  fails = false
  await brittle.save()
  expect(await own.store.credits({ month: '2026-11' })).toEqual([{ keyId: 'k1', spent: 5 }])
})
