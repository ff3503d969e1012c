import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getAddress } from 'viem'
import type { Store } from '../../src/store/protocol.ts'
import type { ApiKey, Tenant } from '../../src/types/paymaster/tenant.ts'
import type { AuditEntry } from '../../src/types/ports/paymaster-store.ts'
import { databaseKinds } from '../support/database.ts'
import { claim, key, limited, policy } from '../unit/paymaster/builders.ts'
import { address, hash } from './builders.ts'
import { database, type TestDatabase } from './places.ts'

const entry = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
  at: 1000,
  tenantId: 't1',
  keyId: 'k1',
  action: 'test',
  subject: 'it',
  ...changes,
})
const tenant = (changes: Partial<Tenant> = {}): Tenant => ({
  id: 't1',
  name: 'Acme',
  walletAddress: address(0xaa),
  encryptedKey: '0x1234',
  createdAt: 1000,
  ...changes,
})
const apiKey = (changes: Partial<ApiKey> = {}): ApiKey => ({
  id: 'k1',
  tenantId: 't1',
  hash: hash(0x1),
  hint: 'tandem_abcd',
  scopes: ['read', 'sponsor'],
  creditsPerMonth: undefined,
  creditsPerSecond: 50,
  createdAt: 1000,
  revokedAt: undefined,
  ...changes,
})

describe.each([...databaseKinds])('the paymaster on a %s', (kind) => {
  let place: TestDatabase
  let store: Store
  beforeAll(async () => {
    place = await database(kind)
    store = await place.open('its own thread')
  })
  afterAll(() => place[Symbol.asyncDispose]())

  test('tenants and their keys', async () => {
    await store.addTenant({ tenant: tenant(), audit: entry() })
    await store.addApiKey({ key: apiKey(), audit: entry() })
    await store.addApiKey({ key: apiKey({ id: 'k2', hash: hash(0x2), creditsPerMonth: 5 }), audit: entry() })
    expect(await store.tenants(undefined)).toEqual([tenant()])
    expect(await store.apiKey({ hash: hash(0x1) })).toEqual({ key: apiKey(), tenant: tenant() })
    expect(await store.apiKey({ hash: hash(0x3) })).toBeUndefined()
    expect(await store.revokeApiKey({ id: 'k1', at: 2000, audit: entry() })).toBe(true)
    expect(await store.revokeApiKey({ id: 'k1', at: 3000, audit: entry() })).toBe(false)
    expect(await store.revokeApiKey({ id: 'k9', at: 3000, audit: entry() })).toBe(false)
    expect((await store.apiKeys({ tenantId: 't1' })).map(({ id, revokedAt }) => [id, revokedAt])).toEqual([
      ['k1', 2000],
      ['k2', undefined],
    ])
    expect(await store.apiKeys({ tenantId: 'other' })).toEqual([])
  })

  test('policies come back whole, newest first, and no id twice', async () => {
    const full = policy({
      id: 1,
      isPerpetual: false,
      startTime: 5,
      endTime: 6,
      versions: ['0.7'],
      enabledChains: [1],
      global: limited({ usd: 2n ** 70n, native: 2n ** 200n, count: 7 }),
      perUser: limited({ count: 0 }),
      allowList: [address(1)],
      blockList: [],
      allowedTargets: [{ address: address(2), selector: '0xa9059cbb' }],
      whitelistApplicable: true,
    })
    const blank = policy({ id: 2 })
    await store.putPolicy({ policy: full, audit: entry() })
    await store.putPolicy({ policy: blank, audit: entry() })
    expect(await store.policies(undefined)).toEqual({ policies: [blank, full], highestId: 2 })
    await store.putPolicy({ policy: { ...full, name: 'other' }, audit: entry() })
    await store.deletePolicy({ id: 2, audit: entry() })
    expect(await store.policies(undefined)).toEqual({ policies: [{ ...full, name: 'other' }], highestId: 2 })
  })

  test('whitelists, of tenants and of policies apart', async () => {
    const place = { tenantId: 't1', policyId: undefined }
    const other = { tenantId: 't1', policyId: 1 }
    expect(await store.addToWhitelist({ place, addresses: [address(1), address(2)], audit: entry() })).toBe(2)
    expect(await store.addToWhitelist({ place, addresses: [address(2), address(3)], audit: entry() })).toBe(1)
    expect(await store.addToWhitelist({ place, addresses: [address(2)], audit: entry() })).toBe(0)
    expect(await store.isWhitelisted({ place, address: address(3) })).toBe(true)
    expect(await store.isWhitelisted({ place: other, address: address(3) })).toBe(false)
    const mixed = getAddress(address(0xabcdef))
    expect(
      await store.addToWhitelist({
        place: { tenantId: 't3', policyId: undefined },
        addresses: [mixed],
        audit: entry(),
      }),
    ).toBe(1)
    expect(
      await store.isWhitelisted({ place: { tenantId: 't3', policyId: undefined }, address: mixed }),
    ).toBe(true)
    expect(await store.whitelist({ place: other })).toEqual([])
    expect(await store.whitelist({ place })).toEqual([address(1), address(2), address(3)])
    expect(await store.removeFromWhitelist({ place, addresses: [address(9)], audit: entry() })).toBe(0)
    const some = [address(1), address(9)]
    expect(await store.removeFromWhitelist({ place, addresses: some, audit: entry() })).toBe(1)
    expect(await store.whitelist({ place })).toEqual([address(2), address(3)])
    expect(await store.addToWhitelist({ place: other, addresses: [address(2)], audit: entry() })).toBe(1)
    expect(await store.whitelistSize({ tenantId: 't1' })).toBe(3)
  })

  test('a tenant has one paymaster for a version and chain', async () => {
    const deployment = {
      tenantId: 't1',
      chainId: 1,
      version: '0.7' as const,
      address: address(0xc0),
      transactionHash: hash(0x71),
    }
    await store.addDeployment({ deployment, audit: entry() })
    const again = store.addDeployment({ deployment: { ...deployment, address: address(1) }, audit: entry() })
    expect(
      await again.then(
        () => 'added',
        () => 'refused',
      ),
    ).toBe('refused')
    expect(await store.deployments(undefined)).toEqual([deployment])
  })

  test('the ledger, in one commit with its position', async () => {
    const block = { number: 9, hash: hash(0xb9) }
    const open = {
      ...key({ nonce: 2n ** 250n }),
      claims: [claim({ policyId: undefined })],
      settled: undefined,
    }
    const paid = {
      ...key(),
      claims: [claim(), claim({ userOpHash: hash(2) })],
      settled: { userOpHash: hash(2), native: 2n ** 90n, block },
    }
    const total = { policyId: 1, sender: address(1), spent: { usd: 1n, native: 2n ** 99n, count: 3 } }
    const position = { chainId: 1, block }
    expect(await store.ledgerPosition({ chainId: 1 })).toBeUndefined()
    await store.saveLedger({ put: [open, paid], remove: [], totals: [total], position })
    const byNonce = (rows: readonly { nonce: bigint }[]) =>
      rows.toSorted((a, b) => (a.nonce < b.nonce ? -1 : 1))
    expect(byNonce(await store.sponsorships(undefined))).toEqual([paid, open])
    expect(await store.totals(undefined)).toEqual([total])
    expect(await store.ledgerPosition({ chainId: 1 })).toEqual(block)

    const more = { ...total, spent: { ...total.spent, count: 4 } }
    await store.saveLedger({ put: [{ ...open, claims: [claim()] }], remove: [key()], totals: [more] })
    expect(await store.sponsorships(undefined)).toEqual([{ ...open, claims: [claim()] }])
    expect(await store.totals(undefined)).toEqual([more])
    expect(await store.ledgerPosition({ chainId: 1 })).toEqual(block)
  })

  test('credits by month', async () => {
    await store.saveCredits([
      { keyId: 'k1', month: '2026-11', spent: 5 },
      { keyId: 'k2', month: '2026-11', spent: 6 },
      { keyId: 'k1', month: '2026-12', spent: 1 },
    ])
    await store.saveCredits([{ keyId: 'k1', month: '2026-11', spent: 50 }])
    expect(await store.credits({ month: '2026-11' })).toEqual([
      { keyId: 'k1', spent: 50 },
      { keyId: 'k2', spent: 6 },
    ])
  })

  test('every change is in the audit log, newest first', async () => {
    await store.addTenant({
      tenant: tenant({ id: 't7' }),
      audit: entry({ tenantId: 't7', keyId: undefined, action: 'tenant.add' }),
    })
    await store.audit({ entry: entry({ tenantId: 't7', action: 'deposit', subject: '0x1' }) })
    expect(await store.auditLog({ tenantId: 't7', limit: 10 })).toEqual([
      entry({ tenantId: 't7', action: 'deposit', subject: '0x1' }),
      entry({ tenantId: 't7', keyId: undefined, action: 'tenant.add' }),
    ])
    expect(await store.auditLog({ tenantId: undefined, limit: 1 })).toHaveLength(1)
  })
})
