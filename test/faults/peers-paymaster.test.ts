import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, type Hash, type Hex, hashMessage, numberToHex, recoverAddress, slice } from 'viem'
import { paymasterDeployment } from '../../src/contracts/paymaster/deployment.ts'
import { paymasterHash } from '../../src/contracts/paymaster/hash.ts'
import { createWalletCipher } from '../../src/paymaster/tenants/wallet-cipher.ts'
import { operatorPaymasters } from '../../src/service/paymaster/operators.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation, parseUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, type RpcError } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import {
  masterKey,
  type PaymasterHome,
  paymasterHome,
  paymasterKey,
  rest,
  type TestKey,
} from '../support/paymasterService.ts'
import type { RunningService } from '../support/service.ts'

const entryPoint = entryPoints['0.6'].address

let chain: DevChain
let home: PaymasterHome
let service: RunningService
let account: TestAccount
/** The sponsor: with coins, paymasters, deposits, and `account` on its lists. */
let ann: TestKey
let own: Address
let shared: Address

beforeAll(async () => {
  chain = await startDevChain()
  const [first] = await fleet(chain, '0.6', 1)
  if (first === undefined) throw new Error('an account')
  account = first
  home = await paymasterHome(chain)
  service = await home.serve('--log-level', 'debug')
  ann = await home.createKey('Ann')
  const { wallet: owner } = ann
  own = paymasterDeployment({ kind: 'verifying', version: '0.6', owner, signer: owner }).address
  const planned = operatorPaymasters({ paymasterKey, versions: ['0.6'], tokens: [] })[0]?.deployment
  shared = planned?.address ?? '0x'
  const senders = { params: [account.address] }
  await rest(service, ann, 'POST', '/deployVerifyingPaymaster?wait=true', { params: ['EPV_06'] })
  await rest(service, ann, 'POST', '/deposit?useVp=true&wait=true', { params: ['1'] })
  await rest(service, ann, 'POST', '/deposit?wait=true', { params: ['1'] })
  await rest(service, ann, 'POST', '/whitelist?wait=true', senders)
  await rest(service, ann, 'POST', '/whitelist/v2', senders)
}, 60_000)
afterAll(async () => {
  await service?.kill('SIGTERM')
  home?.remove()
  await chain?.stop()
})

type Fields = { paymasterAndData: Hex; sponsor?: object; isFinal?: boolean }

/** Asks for the signature of Ann's paymaster, or for its stub; the paymasterAndData that it got, or the refusal's code. */
async function ask(
  method: 'pm_sponsorUserOperation' | 'pm_getPaymasterStubData',
  options: { useVp?: string; policyId?: number } = {},
) {
  const { useVp = 'true', policyId } = options
  const url = `${service.paymasterUrl}?apiKey=${ann.text}&chainId=${chain.chainId}&useVp=${useVp}`
  const wire = formatUserOperation(await unpaid())
  const context = { mode: 'sponsor', ...(policyId === undefined ? {} : { policyId }) }
  const params =
    method === 'pm_sponsorUserOperation'
      ? [wire, entryPoint, context]
      : [wire, entryPoint, numberToHex(chain.chainId), context]
  try {
    const fields = await call<Fields>(url, method, ...params)
    const { sponsor: _sponsor, isFinal: _isFinal, ...ofOperation } = fields
    return { fields, op: parseUserOperation({ ...wire, ...ofOperation }, '0.6', 'partial') }
  } catch (error) {
    return { code: (error as RpcError).error.data?.code }
  }
}
const unpaid = (): Promise<UserOperation> => operation(chain, account, { callData: '0x' })

/** Rows of a table that a caller may change, from the file itself. */
function stored(sql: string): unknown[] {
  const database = new Database(join(home.directory, 'tandem.db'), { readonly: true })
  const rows = database.query(sql).all()
  database.close()
  return rows
}
const everything = () =>
  ['policies', 'whitelist', 'deployments', 'sponsorships', 'audit'].map((table) =>
    stored(`select * from ${table}`),
  )

async function newPolicy(fields: object): Promise<number> {
  const { status, body } = await rest(service, ann, 'POST', '/addPolicy', fields)
  expect(status).toBe(200)
  return body.id
}

const tiny = { Usd: '0.0001', Native: '0.000000001', OpCount: 0 }
const ample = { Usd: 10_000, Native: 100, OpCount: 1_000 }
const reasons = { Usd: 'usd', Native: 'native', OpCount: 'count' }

test('fault 20: every limit of a policy that is stored is enforced', async () => {
  const limits = [
    ...(['Usd', 'Native'] as const).map((measure) => ({
      reach: 'perOpMaximum',
      reason: 'per_operation',
      measure,
    })),
    ...(['Usd', 'Native', 'OpCount'] as const).flatMap((measure) => [
      { reach: 'perUserMaximum', reason: 'per_user', measure },
      { reach: 'globalMaximum', reason: 'global', measure },
    ]),
  ]
  const id = await newPolicy({ name: 'limits' })
  for (const { reach, reason, measure } of limits) {
    const set = (value: number | string | null) =>
      rest(service, ann, 'PUT', '/updatePolicy', {
        id,
        [`${reach}Applicable`]: true,
        [`${reach}${measure}`]: value,
      })
    await set(tiny[measure])
    expect(await ask('pm_sponsorUserOperation', { policyId: id })).toEqual({
      code: `${reason}_limit_${reasons[measure]}`,
    })
    await set(ample[measure])
    expect(await ask('pm_sponsorUserOperation', { policyId: id })).toHaveProperty('op')
  }
  await rest(service, ann, 'DELETE', `/deletePolicy/${id}`)
})

test('fault 20: nothing is written for who has no key, a wrong one, a revoked one, or one for reading', async () => {
  const id = await newPolicy({ name: 'mine' })
  const reader = await home.createKey('Reader', '--scopes', 'read,sponsor')
  const revoked = await home.createKey('Gone')
  await home.revokeKey(revoked)
  const before = everything()
  const writes = [
    ['POST', '/addPolicy', { name: 'theirs' }],
    ['PUT', '/updatePolicy', { id, name: 'theirs' }],
    ['PUT', `/disablePolicy/${id}`, {}],
    ['DELETE', `/deletePolicy/${id}`, {}],
    ['POST', '/whitelist/v2', { params: [[shared]] }],
    ['POST', '/removeWhitelist/v2', { params: [[account.address]] }],
    ['POST', '/deployVerifyingPaymaster', { params: ['EPV_07'] }],
    ['POST', '/deposit', { params: ['0.1'] }],
  ] as const
  for (const [method, path, body] of writes)
    for (const text of ['', 'tandem_nobody', `${ann.text}x`, revoked.text, reader.text]) {
      const { status } = await rest(service, { ...ann, text }, method, path, body)
      expect([path, status]).toEqual([path, 401])
    }
  expect(everything()).toEqual(before)
  await rest(service, ann, 'DELETE', `/deletePolicy/${id}`)
})

test.each([
  ['false', () => shared],
  ['0', () => shared],
  ['no', () => shared],
  ['FALSE', () => shared],
  ['true', () => own],
  ['1', () => own],
  ['yes', () => own],
])('fault 20: useVp=%s means what it says', async (useVp, paymaster) => {
  const { fields } = await ask('pm_sponsorUserOperation', { useVp })
  expect(slice(fields?.paymasterAndData ?? '0x', 0, 20)).toBe(paymaster().toLowerCase() as Address)
})

test("fault 20: another tenant's policies can neither be read, nor used, nor changed", async () => {
  const id = await newPolicy({ name: 'mine' })
  const bob = await home.createKey('Bob')
  const missing = { status: 404, body: { code: 'policy_not_found' } }
  const before = everything()
  for (const [method, path, body] of [
    ['GET', `/policy/${id}`],
    ['GET', `/policy/${id}/usage`],
    ['GET', '/policy'],
    ['PUT', '/updatePolicy', { id, name: 'theirs' }],
    ['PUT', `/disablePolicy/${id}`, {}],
    ['DELETE', `/deletePolicy/${id}`, {}],
    ['POST', '/getAllWhitelist/v2', { params: [String(id)] }],
    ['POST', '/whitelist/v2', { params: [[bob.wallet], String(id)] }],
  ] as const)
    expect(await rest(service, bob, method, path, body)).toMatchObject(missing)
  expect(await rest(service, bob, 'GET', `/policy/walletAddress/${ann.wallet}`)).toMatchObject({
    ...{ status: 403, body: { code: 'wrong_wallet' } },
  })
  const url = `${service.paymasterUrl}?apiKey=${bob.text}&chainId=${chain.chainId}&useVp=true`
  const wire = formatUserOperation(await unpaid())
  const context = { mode: 'sponsor', policyId: id }
  const refused = await call(url, 'pm_sponsorUserOperation', wire, entryPoint, context).catch(
    (error) => (error as RpcError).error.data?.code,
  )
  expect(refused).toBe('policy_not_found')
  expect(everything()).toEqual(before)
  await rest(service, ann, 'DELETE', `/deletePolicy/${id}`)
})

test('fault 20: no private key is in clear, in whatever form', () => {
  const cipher = createWalletCipher(`0x${masterKey}`)
  const tenants = stored('select wallet_address, encrypted_key from tenants') as {
    wallet_address: Address
    encrypted_key: Hex
  }[]
  const keys = tenants.map((row) => cipher.decrypt(row.encrypted_key, row.wallet_address).slice(2))
  expect(keys.length).toBeGreaterThan(1)
  const files = readdirSync(home.directory)
    .filter((name) => name.startsWith('tandem.db'))
    .map((name) => readFileSync(join(home.directory, name)))
  const places = [...files, Buffer.from(service.log()), Buffer.from(service.output())]
  for (const key of keys) {
    const forms = [key, key.toUpperCase(), BigInt(`0x${key}`).toString(), Buffer.from(key, 'hex')]
    for (const form of [...forms, Buffer.from(key, 'hex').toString('base64')])
      expect(places.some((place) => place.includes(form))).toBe(false)
  }
})

test('fault 20: deposits at the same time each have a nonce of their own, and all arrive', async () => {
  const before = await sharedDeposit()
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => rest(service, ann, 'POST', '/deposit?wait=true', { params: ['0.01'] })),
  )
  expect(answers.map(({ status, body }) => [status, body.mined])).toEqual(answers.map(() => [200, true]))
  const hashes = answers.map(({ body }) => body.transactionHash as Hash)
  const transactions = await Promise.all(
    hashes.map((hash) => rpc<{ nonce: Hex; from: Address }>(chain.url, 'eth_getTransactionByHash', [hash])),
  )
  expect(new Set(transactions.map(({ nonce }) => nonce)).size).toBe(12)
  expect(await sharedDeposit()).toBe(before + 12n * 10n ** 16n)
})

test('fault 20: a stub is signed by nobody, and promises nothing', async () => {
  const before = stored('select * from sponsorships')
  for (const [useVp, paymaster] of [
    ['true', own],
    ['false', shared],
  ] as const) {
    const stub = await ask('pm_getPaymasterStubData', { useVp })
    if (stub.op === undefined) throw new Error(`refused: ${stub.code}`)
    const signature = slice(stub.op.paymasterData, -65)
    const hash = hashMessage({ raw: paymasterHash({ ...stub.op, paymaster }, chain.chainId) })
    expect(await recoverAddress({ hash, signature })).not.toBe(ann.wallet)
    const again = await ask('pm_getPaymasterStubData', { useVp })
    expect(slice(again.op?.paymasterData ?? '0x', -65)).toBe(signature)
  }
  expect(stored('select * from sponsorships')).toEqual(before)
  const { op } = await ask('pm_sponsorUserOperation')
  if (op === undefined) throw new Error('refused')
  const hash = hashMessage({ raw: paymasterHash(op, chain.chainId) })
  expect(await recoverAddress({ hash, signature: slice(op.paymasterData, -65) })).toBe(ann.wallet)
})

async function sharedDeposit(): Promise<bigint> {
  const data: Hex = `0x70a08231${ann.wallet.slice(2).padStart(64, '0')}`
  return BigInt(await rpc<Hex>(chain.url, 'eth_call', [{ to: shared, data }, 'latest']))
}
