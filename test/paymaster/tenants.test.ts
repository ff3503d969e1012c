import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { createTenants, type KeyTerms, type Tenants } from '../../src/paymaster/tenants/tenants.ts'
import { WrongMasterKey } from '../../src/paymaster/tenants/wallet-cipher.ts'
import { type OwnStore, ownStore } from '../support/paymasterStore.ts'

const masterKey: Hex = `0x${'11'.repeat(32)}`
const terms: KeyTerms = { scopes: ['read', 'sponsor'], creditsPerMonth: 1000, creditsPerSecond: undefined }
const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'fine',
    ({ status, message }) => `${status} ${message}`,
  )

let own: OwnStore
let tenants: Tenants
let time = 1000
const now = () => time++
beforeAll(async () => {
  own = await ownStore()
  tenants = createTenants({ masterKey }, { store: own.store, now })
})
afterAll(() => own[Symbol.asyncDispose]())

test('a key opens what it was made for, and nothing else', async () => {
  const { text, key, tenant } = await tenants.create('Acme', terms)
  expect(await tenants.authenticate(text, 'sponsor')).toEqual({ key, tenant })
  expect(await outcome(tenants.authenticate(text, 'admin'))).toBe(
    '401 The Api Key does not have the scope admin',
  )
  expect(await tenants.authenticate(text, undefined)).toEqual({ key, tenant })
  const admin = await tenants.create('Root', { ...terms, scopes: ['admin'] })
  expect(await outcome(tenants.authenticate(admin.text, 'sponsor'))).toBe('fine')
})

test('no key, and a wrong one', async () => {
  expect(await outcome(tenants.authenticate(undefined, 'read'))).toBe('401 Api Key is required in header')
  for (const wrong of ['', 'tandem_', "' or 1=1 --", 'x'.repeat(100_000)])
    expect(await outcome(tenants.authenticate(wrong, 'read'))).toBe('401 Invalid Api Key')
})

describe('a key that leaked', () => {
  test('is rotated: the new one has its terms and its tenant, the old one is dead', async () => {
    const old = await tenants.create('Acme', terms)
    const made = await tenants.rotate(old.key.id)
    expect(await outcome(tenants.authenticate(old.text, 'read'))).toBe('401 Invalid Api Key')
    const { key, tenant } = await tenants.authenticate(made.text, 'read')
    expect(tenant).toEqual(old.tenant)
    expect(key.scopes).toEqual(old.key.scopes)
    expect(key.creditsPerMonth).toBe(1000)
  })
  test('and was revoked at once is rotated after that: its tenant has a key again', async () => {
    const old = await tenants.create('Acme', terms)
    await tenants.revoke(old.key.id)
    const made = await tenants.rotate(old.key.id)
    expect((await tenants.authenticate(made.text, 'read')).tenant).toEqual(old.tenant)
    expect(await outcome(tenants.authenticate(old.text, 'read'))).toBe('401 Invalid Api Key')
  })
  test('is revoked, once', async () => {
    const { text, key } = await tenants.create('Acme', terms)
    await tenants.revoke(key.id)
    expect(await outcome(tenants.authenticate(text, 'read'))).toBe('401 Invalid Api Key')
    expect(await outcome(tenants.revoke(key.id))).toBe(`409 The key ${key.id} is revoked already`)
    expect(await outcome(tenants.revoke('nobody'))).toBe('404 There is no key nobody')
    expect(await outcome(tenants.rotate('nobody'))).toBe('404 There is no key nobody')
  })
})

test('each tenant has a wallet of its own, which outlives a restart, and only under its master key', async () => {
  const { tenant } = await tenants.create('Acme', terms)
  const { address } = tenants.wallet(tenant)
  expect(address).toBe(tenant.walletAddress)
  const store = await own.reopen()
  const again = createTenants({ masterKey }, { store, now })
  const listed = await again.list()
  const found = listed.find((each) => each.tenant.id === tenant.id)
  expect(found?.keys).toHaveLength(1)
  expect(found && again.wallet(found.tenant).address).toBe(address)
  const stranger = createTenants({ masterKey: `0x${'22'.repeat(32)}` }, { store, now })
  expect(() => stranger.wallet(tenant)).toThrow(WrongMasterKey)
  tenants = again
})

test('who made a tenant and a key is written down', async () => {
  const { tenant, key } = await tenants.create('Acme', terms)
  await tenants.revoke(key.id)
  const log = await own.store.auditLog({ tenantId: tenant.id, limit: 10 })
  expect(log.map(({ action, subject }) => [action, subject])).toEqual([
    ['key.revoke', key.id],
    ['key.add', key.id],
    ['tenant.add', tenant.id],
  ])
})
