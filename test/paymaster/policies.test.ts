import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getAddress } from 'viem'
import {
  loadPolicies,
  mostOnLists,
  mostPolicies,
  type Policies,
} from '../../src/paymaster/policies/policies.ts'
import { createWhitelists, mostWhitelisted } from '../../src/paymaster/whitelists/whitelists.ts'
import type { Policy } from '../../src/types/paymaster/policy.ts'
import type { Caller } from '../../src/types/paymaster/tenant.ts'
import { address, hash } from '../support/builders.ts'
import { type OwnStore, ownStore } from '../support/paymasterStore.ts'
import { policy } from '../unit/paymaster/builders.ts'

const caller = (id: string): Caller => ({
  tenant: { id, name: id, walletAddress: getAddress(address(0xaa)), encryptedKey: '0x', createdAt: 0 },
  key: {
    ...{ id: `key of ${id}`, tenantId: id, hash: hash(1), hint: '', scopes: ['admin'] },
    ...{ creditsPerMonth: undefined, creditsPerSecond: undefined, createdAt: 0, revokedAt: undefined },
  },
})
const [alice, bob] = [caller('alice'), caller('bob')]
const outcome = async (act: () => unknown): Promise<string> => {
  try {
    await act()
    return 'fine'
  } catch (error) {
    const { status, message } = error as { status: number; message: string }
    return `${status} ${message}`
  }
}

let own: OwnStore
let policies: Policies
let time = Date.parse('2026-06-01T00:00:00Z')
const now = () => time
beforeAll(async () => {
  own = await ownStore()
  policies = await loadPolicies({ store: own.store, now })
})
afterAll(() => own[Symbol.asyncDispose]())

test('a policy is there after a restart, as it was made', async () => {
  const made = await policies.add(alice, {
    name: 'first',
    globalMaximumApplicable: true,
    globalMaximumUsd: 5,
  })
  time += 1000
  const changed = await policies.update(alice, made.id, { name: 'renamed' })
  expect(changed).toEqual({ ...made, name: 'renamed', updatedAt: time })
  policies = await loadPolicies({ store: await own.reopen(), now })
  expect(policies.get(alice, made.id)).toEqual(changed)
  expect(policies.list(alice, {})).toEqual([changed])
})

test("another tenant's policy is unknown, in every call, and stays as it is", async () => {
  const made = await policies.add(alice, { name: 'hers' })
  const unknown = '404 Sponsorship policy not found'
  expect(await outcome(() => policies.get(bob, made.id))).toBe(unknown)
  expect(await outcome(() => policies.update(bob, made.id, { name: 'mine' }))).toBe(unknown)
  expect(await outcome(() => policies.setEnabled(bob, made.id, false))).toBe(unknown)
  expect(await outcome(() => policies.remove(bob, made.id))).toBe(unknown)
  expect(policies.list(bob, {})).toEqual([])
  expect(policies.get(alice, made.id)).toEqual(made)
})

test('a policy is for the own wallet only', async () => {
  const refusal = '403 Wallet address does not match for the Api Key'
  expect(await outcome(() => policies.add(alice, { walletAddress: address(1) }))).toBe(refusal)
  const made = await policies.add(alice, { walletAddress: address(0xaa).toUpperCase().replace('0X', '0x') })
  expect(await outcome(() => policies.update(alice, made.id, { walletAddress: address(1) }))).toBe(refusal)
})

test('a deleted policy is gone, and its id is not given again, even after a restart', async () => {
  const made = await policies.add(alice, {})
  await policies.remove(alice, made.id)
  expect(await outcome(() => policies.get(alice, made.id))).toBe('404 Sponsorship policy not found')
  policies = await loadPolicies({ store: await own.reopen(), now })
  const next = await policies.add(alice, {})
  expect(next.id).toBe(made.id + 1)
})

describe('enabling', () => {
  test('what is so already is no change', async () => {
    const made = await policies.add(alice, {})
    expect(await outcome(() => policies.setEnabled(alice, made.id, true))).toBe(
      `409 Policy with id ${made.id} is already enabled`,
    )
    await policies.setEnabled(alice, made.id, false)
    expect(policies.get(alice, made.id).isEnabled).toBe(false)
    expect(await outcome(() => policies.setEnabled(alice, made.id, false))).toBe(
      `409 Policy with id ${made.id} is already disabled`,
    )
  })
  test('of two at once one changes something', async () => {
    const made = await policies.add(alice, {})
    const both = await Promise.all(
      [0, 1].map(() => outcome(() => policies.setEnabled(alice, made.id, false))),
    )
    expect(both.toSorted()).toEqual([`409 Policy with id ${made.id} is already disabled`, 'fine'])
  })
})

describe('lists', () => {
  const carol = caller('carol')
  let ids: number[]
  beforeAll(async () => {
    const made = [
      await policies.add(carol, { supportedEPVersions: ['EPV_06'] }),
      await policies.add(carol, { enabledChains: [10] }),
      await policies.add(carol, { isEnabled: false }),
      await policies.add(carol, { startTime: '2027-01-01', endTime: '2028-01-01' }),
    ]
    ids = made.map(({ id }) => id)
  })
  const found = (filter: object) => policies.list(carol, filter).map(({ id }) => ids.indexOf(id))

  test('of all, newest first', () => {
    expect(found({})).toEqual([3, 2, 1, 0])
  })
  test('of those in force', () => {
    expect(found({ inForce: true })).toEqual([1, 0])
  })
  test('of a chain: those for all chains too', () => {
    expect(found({ chainId: 10 })).toEqual([1, 0])
    expect(found({ chainId: 1 })).toEqual([0])
  })
  test('of a version, and of both', () => {
    expect(found({ version: '0.7' })).toEqual([1])
    expect(found({ version: '0.6', chainId: 1 })).toEqual([0])
    expect(found({ version: '0.7', chainId: 1 })).toEqual([])
  })
})

test('who changed what is written down, and a failed attempt is no change', async () => {
  const dora = caller('dora')
  const made = await policies.add(dora, {})
  await policies.update(dora, made.id, { name: 'x' })
  await policies.setEnabled(dora, made.id, false)
  await outcome(() => policies.remove(bob, made.id))
  await policies.remove(dora, made.id)
  const log = await own.store.auditLog({ tenantId: 'dora', limit: 10 })
  expect(log.map(({ action, keyId, subject }) => [action, keyId, subject])).toEqual(
    ['policy.delete', 'policy.disable', 'policy.update', 'policy.add'].map((action) => [
      action,
      'key of dora',
      String(made.id),
    ]),
  )
  expect(await own.store.auditLog({ tenantId: 'bob', limit: 10 })).toEqual([])
})

describe('too many', () => {
  const holding = (stored: readonly Policy[]) =>
    loadPolicies({
      store: { ...own.store, policies: async () => ({ policies: stored, highestId: 90_000 }) },
      now,
    })

  test('policies of a tenant', async () => {
    const stored = Array.from({ length: mostPolicies }, (_, index) =>
      policy({ id: 80_000 + index, tenantId: 'alice' }),
    )
    const full = await holding(stored)
    const refused = '400 A tenant may have at most 5000 sponsorship policies'
    expect(await outcome(() => full.add(alice, { name: 'one more' }))).toBe(refused)
    expect(await outcome(() => full.add(bob, { name: 'his first' }))).toBe('fine')
    await full.remove(alice, 80_000)
    expect(await outcome(() => full.add(alice, { name: 'in its place' }))).toBe('fine')
  })
  test('addresses on the lists of policies', async () => {
    const long = Array.from({ length: mostOnLists - 1 }, () => address(1))
    const full = await holding([
      policy({ id: 80_001, tenantId: 'alice', allowList: long }),
      policy({ id: 80_000, tenantId: 'alice' }),
    ])
    const refused =
      '400 The policies of a tenant may have at most 200000 addresses on their lists: use a whitelist'
    const two = [address(1), address(2)]
    expect(await outcome(() => full.add(alice, { addressAllowList: two }))).toBe(refused)
    expect(await outcome(() => full.update(alice, 80_000, { addressBlockList: two }))).toBe(refused)
    expect(await outcome(() => full.update(alice, 80_000, { addressBlockList: [address(1)] }))).toBe('fine')
    expect(await outcome(() => full.update(alice, 80_001, { name: 'renamed' }))).toBe('fine')
  })
  test('addresses on whitelists', async () => {
    const store = { ...own.store, whitelistSize: async () => mostWhitelisted - 1 }
    const lists = createWhitelists({ store, policies, now })
    expect(await outcome(() => lists.add(alice, undefined, [address(1), address(2)]))).toBe(
      '400 The whitelists of a tenant may have at most 500000 addresses',
    )
    expect(await outcome(() => lists.add(alice, undefined, [address(1)]))).toBe('fine')
  })
})
