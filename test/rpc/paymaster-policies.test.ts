import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { getAddress } from 'viem'
import { address } from '../support/builders.ts'
import { fakePaymaster } from '../support/fakePaymaster.ts'
import { type PaymasterApp, paymasterApp } from '../support/paymasterApp.ts'

/** The example of interface.md. */
const given = {
  name: 'Policy',
  description: 'For everyone',
  isPublic: true,
  isEnabled: true,
  isApplicableToAllNetworks: false,
  enabledChains: [1, 137],
  supportedEPVersions: ['EPV_06', 'EPV_07'],
  isPerpetual: false,
  startTime: '2020-01-01T00:00:00.000Z',
  endTime: '2100-01-01T00:00:00.000Z',
  globalMaximumApplicable: true,
  globalMaximumUsd: 5000,
  globalMaximumNative: 1000,
  globalMaximumOpCount: 1000,
  perUserMaximumApplicable: true,
  perUserMaximumUsd: 100,
  perUserMaximumNative: '200.5',
  perUserMaximumOpCount: 50,
  perOpMaximumApplicable: true,
  perOpMaximumUsd: 0.05,
  perOpMaximumNative: 20,
  addressAllowList: null,
  addressBlockList: null,
}
const shown = {
  ...given,
  globalMaximumUsd: '5000.0000',
  globalMaximumNative: '1000.000000000000000000',
  perUserMaximumUsd: '100.0000',
  perUserMaximumNative: '200.500000000000000000',
  perOpMaximumUsd: '0.0500',
  perOpMaximumNative: '20.000000000000000000',
  allowedTargets: null,
  whitelistApplicable: false,
  createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
}

let app: PaymasterApp
let mine: Awaited<ReturnType<PaymasterApp['tenant']>>
let stranger: typeof mine
beforeAll(async () => {
  app = await paymasterApp([fakePaymaster().port])
  stranger = await app.tenant()
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(async () => {
  mine = await app.tenant()
})

async function call(method: string, path: string, body?: object, { key } = mine) {
  const told = await app.send(method, path, { key, ...(body && { body }) })
  return { status: told.status, body: told.body }
}
const add = async (changes: object = {}): Promise<number> =>
  (await call('POST', '/addPolicy', changes)).body.id
const notFound = {
  status: 404,
  body: { error: 'Sponsorship policy not found', code: 'policy_not_found' },
}
const done = (message: string) => ({ status: 200, body: { message } })

test('a policy is made, read, changed, switched and removed', async () => {
  const made = await call('POST', '/addPolicy', { ...given, walletAddress: mine.wallet })
  const { id } = made.body
  expect(made).toEqual({
    status: 200,
    body: { ...shown, id: expect.any(Number), walletAddress: mine.wallet },
  })
  expect(await call('GET', `/policy/${id}`)).toEqual(made)

  const changed = await call('PUT', '/updatePolicy', {
    id: String(id),
    name: 'Other',
    globalMaximumUsd: null,
  })
  expect(changed.body).toEqual({
    ...made.body,
    name: 'Other',
    globalMaximumUsd: null,
    updatedAt: expect.any(String),
  })
  expect(await call('PUT', `/disablePolicy/${id}`)).toEqual(
    done(`Successfully disabled policy with id ${id}`),
  )
  expect(await call('PUT', `/disablePolicy/${id}`)).toEqual({
    status: 409,
    body: { error: `Policy with id ${id} is already disabled`, code: 'already_disabled' },
  })
  expect(await call('PUT', `/enablePolicy/${id}`)).toEqual(done(`Successfully enabled policy with id ${id}`))
  expect(await call('PUT', `/enablePolicy/${id}`)).toMatchObject({ status: 409 })
  expect(await call('DELETE', `/deletePolicy/${id}`)).toEqual(
    done(`Successfully deleted policy with id ${id}`),
  )
  expect(await call('DELETE', `/deletePolicy/${id}`)).toEqual(notFound)
  expect(await call('GET', `/policy/${id}`)).toEqual(notFound)
})

test('what was read can be sent back', async () => {
  const made = await call('POST', '/addPolicy', given)
  const again = await call('PUT', '/updatePolicy', made.body)
  expect(again.body).toEqual({ ...made.body, updatedAt: expect.any(String) })
})

test('usage', async () => {
  const id = await add({ globalMaximumApplicable: true, globalMaximumUsd: 2, globalMaximumOpCount: 5 })
  app.spent.set(id, { usd: 1_50000001n, native: 10n ** 15n, count: 7 })
  expect(await call('GET', `/policy/${id}/usage`)).toEqual({
    status: 200,
    body: {
      id,
      usedUsd: '1.5001',
      usedNative: '0.001000000000000000',
      usedOpCount: 7,
      remainingUsd: '0.5000',
      remainingNative: null,
      remainingOpCount: 0,
    },
  })
  expect(await call('GET', `/policy/${id}/usage`, undefined, stranger)).toEqual(notFound)
})

describe('lists', () => {
  let ids: number[]
  const found = async (path: string) => {
    const { status, body } = await call('GET', path)
    if (status !== 200) return body.error
    return Array.isArray(body) ? body.map(({ id }) => ids.indexOf(id)) : ids.indexOf(body.id)
  }
  const none = 'Sponsorship policy not found'
  const wallet = (rest: string) => `/policy/walletAddress/${mine.wallet}${rest}`
  beforeEach(async () => {
    ids = [
      await add({ supportedEPVersions: ['EPV_06'], enabledChains: [1] }),
      await add({ supportedEPVersions: ['EPV_07'] }),
      await add({ isEnabled: false }),
      await add({ startTime: '2100-01-01', endTime: '2101-01-01' }),
    ]
  })
  test.each([
    ['', [3, 2, 1, 0]],
    ['/latest', 1],
    ['/chainId/1', [1, 0]],
    ['/chainId/10/latest', 1],
    ['/epVersion/EPV_06', [0]],
    ['/epVersion/epv_07/latest', 1],
    ['/epVersion/EPV_08', none],
    ['/epVersion/EPV_08/latest', none],
    ['/epVersion/EPV_06/chainId/1', [0]],
    ['/epVersion/EPV_06/chainId/10', none],
    ['/epVersion/EPV_06/chainId/1/latest', 0],
    ['/epVersion/EPV_06/chainId/10/latest', none],
  ])('of a wallet%s', async (rest, expected) => {
    expect(await found(wallet(rest))).toEqual(expected)
  })
  test('of the caller, newest first, and of nobody else', async () => {
    expect(await found('/policy')).toEqual([3, 2, 1, 0])
    expect((await call('GET', '/policy', undefined, stranger)).status).toBe(404)
  })
  test('the wallet counts in any case', async () => {
    expect(await found(`/POLICY/walletaddress/${mine.wallet.toLowerCase()}/LATEST`)).toBe(1)
  })
  test("another's wallet", async () => {
    expect(await call('GET', `/policy/walletAddress/${stranger.wallet}/latest`)).toEqual({
      status: 403,
      body: { error: 'Wallet address does not match for the Api Key', code: 'wrong_wallet' },
    })
  })
  test.each([
    ['/policy/walletAddress/0x12', 'Invalid data provided'],
    ["/policy/walletAddress/' or 1=1 --", 'Invalid data provided'],
  ])('%s', async (path, error) => {
    expect(await call('GET', path)).toMatchObject({ status: 400, body: { error } })
  })
  test.each([
    '/chainId/x',
    '/chainId/0',
    '/chainId/-1',
    `/chainId/${2n ** 256n}`,
    '/epVersion/EPV_05',
    '/epVersion/constructor',
  ])('of a wallet%s', async (rest) => {
    expect(await call('GET', wallet(rest))).toMatchObject({ status: 400 })
  })
})

test("another tenant's policy is unknown in every call, and nothing happens to it", async () => {
  const id = await add(given)
  const before = await call('GET', `/policy/${id}`)
  for (const [method, path, body] of [
    ['GET', `/policy/${id}`, undefined],
    ['PUT', '/updatePolicy', { id, name: 'mine' }],
    ['PUT', `/enablePolicy/${id}`, undefined],
    ['PUT', `/disablePolicy/${id}`, undefined],
    ['DELETE', `/deletePolicy/${id}`, undefined],
  ] as const)
    expect(await call(method, path, body, stranger), path).toEqual(notFound)
  expect(await call('GET', `/policy/${id}`)).toEqual(before)
})

test.each(['abc', '0', '-1', '1.5', '99999999999999999999', "1' or '1'='1", '1;drop table policies'])(
  'the id %s is nobody’s',
  async (id) => {
    const path = encodeURIComponent(id)
    expect(await call('GET', `/policy/${path}`)).toEqual(notFound)
    expect(await call('DELETE', `/deletePolicy/${path}`)).toEqual(notFound)
    expect(await call('PUT', `/enablePolicy/${path}`)).toEqual(notFound)
    expect(await call('PUT', '/updatePolicy', { id })).toEqual(notFound)
  },
)

const amount = 'must be a decimal number, not negative'
const count = 'perUserMaximumOpCount must be a whole number, not negative, or null'
test.each([
  [{ name: 5 }, 'name must be a text of at most 200 characters, or null'],
  [{ name: 'x'.repeat(201) }, 'name must be a text of at most 200 characters, or null'],
  [{ isPublic: 'yes' }, 'isPublic must be true or false, or null'],
  [{ enabledChains: [0] }, 'enabledChains must be an array of chain ids, or null'],
  [{ enabledChains: ['1'] }, 'enabledChains must be an array of chain ids, or null'],
  [{ enabledChains: 1 }, 'enabledChains must be an array of chain ids, or null'],
  [
    { supportedEPVersions: ['EPV_05'] },
    'supportedEPVersions must be an array of EPV_06, EPV_07 or EPV_08, or null',
  ],
  [{ supportedEPVersions: [] }, 'supportedEPVersions must name a version'],
  [{ startTime: 'tomorrow' }, 'startTime must be a time in ISO 8601'],
  [{ startTime: 5 }, 'startTime must be a time in ISO 8601, or null'],
  [{ startTime: '2030-01-02', endTime: '2030-01-01' }, 'endTime must be after startTime'],
  [{ globalMaximumUsd: -1 }, `globalMaximumUsd ${amount}`],
  [{ globalMaximumUsd: 'NaN' }, `globalMaximumUsd ${amount}`],
  [{ globalMaximumUsd: '0.00001' }, 'globalMaximumUsd has more than 4 fraction digits'],
  [{ globalMaximumUsd: `${2n ** 256n}` }, 'globalMaximumUsd is out of range'],
  [
    { perUserMaximumNative: '0.0000000000000000001' },
    'perUserMaximumNative has more than 18 fraction digits',
  ],
  [{ perUserMaximumNative: {} }, `perUserMaximumNative ${amount}, or null`],
  [{ perUserMaximumOpCount: -1 }, count],
  [{ perUserMaximumOpCount: '-1' }, count],
  [{ perUserMaximumOpCount: 1.5 }, count],
  [{ perUserMaximumOpCount: '1.5' }, count],
  [{ perUserMaximumOpCount: 2 ** 60 }, count],
  [{ perUserMaximumOpCount: `${2n ** 256n}` }, count],
  [{ perOpMaximumOpCount: 5 }, 'perOpMaximumOpCount is not a field'],
  [{ addressAllowList: ['0x12'] }, 'addressAllowList must be an array of at most 10000 addresses, or null'],
  [{ addressBlockList: address(1) }, 'addressBlockList must be an array of at most 10000 addresses, or null'],
  [{ globalMaximumUSD: 5 }, 'globalMaximumUSD is not a field'],
  [{ isPublic: true }, 'isPublic needs a limit: anyone could spend without end'],
  [{ walletAddress: '0x12' }, 'walletAddress must be an address'],
  [[], 'the body must be a JSON object'],
])('%j is no policy', async (body, details) => {
  const { status, body: told } = await call('POST', '/addPolicy', body)
  expect({ status, ...told }).toMatchObject({
    ...{ status: 400, error: 'Invalid data provided', code: 'invalid_data' },
    details,
  })
  expect((await call('GET', '/policy')).status).toBe(404)
})

test('a count may be decimal text', async () => {
  const id = await add({ globalMaximumOpCount: '5' })
  expect((await call('GET', `/policy/${id}`)).body.globalMaximumOpCount).toBe(5)
})

test('a wallet that is not the own is refused, and nothing is made', async () => {
  const wrong = {
    status: 403,
    body: { error: 'Wallet address does not match for the Api Key', code: 'wrong_wallet' },
  }
  expect(await call('POST', '/addPolicy', { walletAddress: getAddress(address(1)) })).toEqual(wrong)
  const id = await add()
  expect(await call('PUT', '/updatePolicy', { id, walletAddress: stranger.wallet })).toEqual(wrong)
})

test('hostile names are kept as they are', async () => {
  const name = "'); drop table policies; -- \r\nx-injected: 1 <script>"
  const id = await add({ name, description: name })
  expect((await call('GET', `/policy/${id}`)).body).toMatchObject({ name, description: name })
})

test('without the right key nothing is written', async () => {
  const id = await add()
  const reader = await app.tenant({ scopes: ['read', 'sponsor'] })
  for (const key of [undefined, 'tandem_wrong', reader.key])
    for (const [method, path] of [
      ['POST', '/addPolicy'],
      ['PUT', '/updatePolicy'],
      ['PUT', `/disablePolicy/${id}`],
      ['DELETE', `/deletePolicy/${id}`],
    ] as const)
      expect((await app.send(method, path, { key, body: { id } })).status, path).toBe(401)
  expect((await call('GET', `/policy/${id}`)).body.isEnabled).toBe(true)
  expect((await call('GET', '/policy')).body).toHaveLength(1)
})
