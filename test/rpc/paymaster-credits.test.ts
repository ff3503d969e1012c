import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LimitExceeded } from '../../src/base/errors.ts'
import { endpoints } from '../../src/http/paymaster/endpoints.ts'
import { entryPoint, fakeBundler, fakeNode, trouble, wireOp } from '../support/fakeBundler.ts'
import { fakePaymaster } from '../support/fakePaymaster.ts'
import { type PaymasterApp, paymasterApp } from '../support/paymasterApp.ts'

let app: PaymasterApp
beforeAll(async () => {
  app = await paymasterApp([fakePaymaster().port])
})
afterAll(() => app[Symbol.asyncDispose]())

const credits = ({ headers }: { headers: Headers }) => [
  headers.get('x-credits-cost'),
  headers.get('x-credits-remaining'),
]
const deposit = { params: ['1'] }

describe('REST', () => {
  test('every answer tells its cost and what is left, refusals too', async () => {
    const { key } = await app.tenant({ creditsPerMonth: 100 })
    expect(credits(await app.send('POST', '/deposit', { key, body: deposit }))).toEqual(['10', '90'])
    expect(credits(await app.send('GET', '/metadata', { key }))).toEqual(['2', '88'])
    expect(credits(await app.send('GET', '/policy/7', { key }))).toEqual(['5', '83'])
    expect(credits(await app.send('POST', '/deposit', { key, body: {} }))).toEqual(['10', '73'])
  })
  test('without a limit', async () => {
    const { key } = await app.tenant()
    expect(credits(await app.send('POST', '/deposit', { key, body: deposit }))).toEqual(['10', 'unlimited'])
  })
  test('a stranger has none to spend', async () => {
    expect(credits(await app.send('POST', '/deposit', { body: deposit }))).toEqual([null, null])
  })
  test('spent: 429, and when to come back', async () => {
    const { key } = await app.tenant({ creditsPerMonth: 19 })
    await app.send('POST', '/deposit', { key, body: deposit })
    const refused = await app.send('POST', '/deposit', { key, body: deposit })
    const { status, body, headers } = refused
    expect(credits(refused)).toEqual(['0', '9'])
    expect({ status, body }).toEqual({
      status: 429,
      body: { error: 'limit exceeded', code: 'limit_exceeded', retryAfterMs: expect.any(Number) },
    })
    expect(Number(headers.get('retry-after'))).toBe(Math.ceil(body.retryAfterMs / 1000))
    expect((await app.send('GET', '/metadata', { key })).status).toBe(200)
  })
  test('spent within a second', async () => {
    const { key } = await app.tenant({ creditsPerSecond: 10 })
    const both = await Promise.all([1, 2].map(() => app.send('POST', '/deposit', { key, body: deposit })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 429])
  })
  test('no room on our side costs nothing', async () => {
    const full = () => Promise.reject(new LimitExceeded('limit exceeded', { retryAfterMs: 1000 }))
    await using busy = await paymasterApp([fakePaymaster({ deposit: full }).port])
    const { key } = await busy.tenant({ creditsPerMonth: 100 })
    const told = await busy.send('POST', '/deposit', { key, body: deposit })
    expect([told.status, told.headers.get('retry-after'), ...credits(told)]).toEqual([429, '1', '0', '100'])
  })
  test('a client address has a rate of its own', async () => {
    await using limited = await paymasterApp([fakePaymaster().port], {
      limits: { clientRate: 1e-6, clientBurst: 1 },
    })
    const { key } = await limited.tenant()
    expect((await limited.send('GET', '/metadata', { key })).status).toBe(200)
    expect((await limited.send('GET', '/metadata', { key })).status).toBe(429)
  })
  test('pages of other origins may read them', async () => {
    const { key } = await app.tenant()
    const { headers } = await app.send('GET', '/metadata', {
      key,
      headers: { origin: 'https://wallet.example' },
    })
    expect(headers.get('access-control-expose-headers')).toContain('x-credits-remaining')
  })
})

describe('JSON-RPC', () => {
  const data = { id: 1, method: 'pm_getPaymasterData', params: [wireOp(), entryPoint(), '0x539'] }
  test('spent: -32005, and when to come back', async () => {
    const { key } = await app.tenant({ creditsPerMonth: 500 })
    expect(credits(await app.send('POST', '', { key, body: data }))).toEqual(['450', '50'])
    const { status, body } = await app.send('POST', '', { key, body: data })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: 1,
        error: { code: -32005, message: 'limit exceeded', data: { retryAfterMs: expect.any(Number) } },
      },
    })
  })
})

describe('the bundler', () => {
  const chainId = { id: 1, method: 'eth_chainId' }
  test('asks for no key, and then counts nothing', async () => {
    const told = await app.send('POST', '//v1/1337', { body: chainId })
    expect(told.body.result).toBe('0x539')
    expect(credits(told)).toEqual([null, null])
  })
  test.each([
    ['query', (key: string) => ({ query: { apiKey: key } })],
    ['query, as its clients have it', (key: string) => ({ query: { 'api-key': key } })],
    ['header', (key: string) => ({ headers: { apikey: key } })],
    ['other header', (key: string) => ({ headers: { 'x-api-key': key } })],
  ])('counts where a key is in the %s, of whatever scope', async (_where, sending) => {
    const { key } = await app.tenant({ scopes: ['read'], creditsPerMonth: 100 })
    expect(credits(await app.send('POST', '//v1/1337', { ...sending(key), body: chainId }))).toEqual([
      '5',
      '95',
    ])
  })
  test('a batch is the sum', async () => {
    const { key } = await app.tenant({ creditsPerMonth: 100 })
    const batch = [chainId, { id: 2, method: 'web3_clientVersion' }, { id: 3, method: 'nothing' }]
    expect(credits(await app.send('POST', '//v1/1337', { key, body: batch }))).toEqual(['15', '85'])
  })
  test('refuses a wrong key, call by call', async () => {
    const { body } = await app.send('POST', '//v1/1337', { key: 'x', body: [chainId] })
    expect(body).toEqual([
      { id: 1, error: { code: -32001, message: 'Invalid Api Key', data: { code: 'api_key_invalid' } } },
    ])
  })
  test('is spent like the rest', async () => {
    const { key } = await app.tenant({ creditsPerMonth: 7 })
    await app.send('POST', '//v1/1337', { key, body: chainId })
    const { body } = await app.send('POST', '//v1/1337', { key, body: chainId })
    expect(body.error).toMatchObject({ code: -32005 })
  })
  test('with requireApiKey answers nobody without one', async () => {
    await using strict = await paymasterApp([fakePaymaster().port], { requireApiKey: true })
    const { key } = await strict.tenant()
    const { body } = await strict.send('POST', '//v1/1337', { body: chainId })
    expect(body.error).toEqual({
      code: -32001,
      message: 'Api Key is required in header',
      data: { code: 'api_key_missing' },
    })
    expect((await strict.send('POST', '//v1/1337', { key, body: chainId })).body.result).toBe('0x539')
  })
  test('trouble of our own is free, a verdict is not', async () => {
    const bundler = fakeBundler({ node: fakeNode({ request: () => Promise.reject(trouble()) }) })
    await using troubled = await paymasterApp([], { chains: [{ bundler, redirectRpc: true, hosts: [] }] })
    const { key } = await troubled.tenant({ creditsPerMonth: 1000 })
    const call = (method: string) => troubled.send('POST', '//v1/1337', { key, body: { id: 1, method } })
    expect(credits(await call('eth_gasPrice'))).toEqual(['0', '1000'])
    expect(credits(await call('eth_sendUserOperation'))).toEqual(['600', '400'])
  })
})

/** answers.md §3 and interface.md, Limits. */
const prices = {
  2: 'GET /metadata, GET /metadata/v2, GET /metadata/v3',
  5: `POST /checkWhitelist/v2, POST /whitelist/v2, POST /removeWhitelist/v2, POST /deposit/v2,
    POST /getAllWhitelist/v2, POST /getAllWhitelist, POST /checkWhitelist/v3, POST /whitelist/v3,
    POST /removeWhitelist/v3, POST /deposit/v3, POST /getAllWhitelist/v3, POST /getAllCommonERC20PaymasterAddress,
    GET /policy, GET /policy/{id}, GET /policy/{id}/usage,
    GET /policy/walletAddress/{walletAddress}, GET /policy/walletAddress/{walletAddress}/latest,
    GET /policy/walletAddress/{walletAddress}/chainId/{chainId},
    GET /policy/walletAddress/{walletAddress}/chainId/{chainId}/latest,
    GET /policy/walletAddress/{walletAddress}/epVersion/{epVersion},
    GET /policy/walletAddress/{walletAddress}/epVersion/{epVersion}/latest,
    GET /policy/walletAddress/{walletAddress}/epVersion/{epVersion}/chainId/{chainId},
    GET /policy/walletAddress/{walletAddress}/epVersion/{epVersion}/chainId/{chainId}/latest`,
  10: `POST /whitelist, POST /removeWhitelist, POST /deposit, POST /withdraw, POST /withdraw/v2, POST /withdraw/v3,
    POST /addStake, POST /deployVerifyingPaymaster, POST /addPolicy, PUT /updatePolicy, DELETE /deletePolicy/{id},
    PUT /enablePolicy/{id}, PUT /disablePolicy/{id}`,
  15: 'POST /checkWhitelist',
}

test('every REST call has its price, and there are no others', () => {
  const listed = Object.entries(prices).flatMap(([price, names]) =>
    names.split(/,\s*/).map((name) => [name, Number(price)] as const),
  )
  const ours = endpoints.map(({ method, path, price }) => [`${method} ${path}`, price] as const)
  expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(listed))
})
