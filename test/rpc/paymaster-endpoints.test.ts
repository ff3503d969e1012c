import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Address, getAddress } from 'viem'
import { PaymasterError } from '../../src/paymaster/paymaster-error.ts'
import { address } from '../support/builders.ts'
import { entryPoint, trouble } from '../support/fakeBundler.ts'
import { fakePaymaster, paymasterAddress, tokenAddress, transactionHash } from '../support/fakePaymaster.ts'
import { type PaymasterApp, paymasterApp, type Sending } from '../support/paymasterApp.ts'

const sender = getAddress(address(0x51))
const other = getAddress(address(0x52))
const fake = fakePaymaster()
let app: PaymasterApp
let key: string
let wallet: Address
beforeAll(async () => {
  app = await paymasterApp([fake.port])
  ;({ key, wallet } = await app.tenant())
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => fake.calls.splice(0))

/** A POST as interface.md shows it: key and chain in the body. */
async function post(path: string, params: readonly unknown[], more: Sending = {}) {
  const { status, body } = await app.send('POST', path, {
    ...more,
    body: { apiKey: key, chainId: '1337', params },
  })
  return { status, ...body }
}
/** What the chain's paymaster was asked, without who asked. */
const asked = () => fake.calls.map(({ name, args }) => [name, ...args.slice(1)])

const sent = { status: 200, transactionHash }

describe("a walletAddress that is named must be the caller's own", () => {
  const ask = (more: object, query: Readonly<Record<string, string>> = {}) =>
    app.send('POST', '/deposit', { key, query, body: { chainId: '1337', params: ['1'], ...more } })
  const wrong = { error: 'Wallet address does not match for the Api Key', code: 'wrong_wallet' }

  test.each([
    ['body', { walletAddress: other }, {}],
    ['query', {}, { walletAddress: other }],
  ])("another's in the %s", async (_where, body, query) => {
    expect(await ask(body, query)).toMatchObject({ status: 403, body: wrong })
    expect(asked()).toEqual([])
  })

  test('one that is none', async () => {
    for (const walletAddress of ['0x12', 7, {}]) {
      const { status, body } = await ask({ walletAddress })
      expect([status, body.code]).toEqual([400, 'invalid_data'])
    }
    expect(asked()).toEqual([])
  })

  test("the caller's own, in whatever case, or null", async () => {
    for (const walletAddress of [wallet, wallet.toLowerCase(), null])
      expect((await ask({ walletAddress })).status).toBe(200)
  })
})

describe('on chain', () => {
  test.each([
    ['/whitelist', [sender], 'whitelist', [sender], 'Successfully whitelisted'],
    ['/whitelist', [[sender, other]], 'whitelist', [sender, other], 'Successfully whitelisted'],
    [
      '/removeWhitelist',
      [sender],
      'removeFromWhitelist',
      [sender],
      'Successfully removed whitelisted addresses',
    ],
    [
      '/removeWhitelist',
      [[sender, sender]],
      'removeFromWhitelist',
      [sender],
      'Successfully removed whitelisted addresses',
    ],
  ])('%s %p', async (path, params, call, addresses, done) => {
    expect(await post(path, params)).toEqual({
      ...sent,
      message: `${done} with transaction Hash ${transactionHash}`,
    })
    expect(asked()).toEqual([[call, addresses]])
  })

  test('/checkWhitelist and /getAllWhitelist', async () => {
    expect(await post('/checkWhitelist', [sender])).toEqual({ status: 200, message: 'Already added' })
    expect(await post('/getAllWhitelist', [])).toEqual({ status: 200, addresses: [paymasterAddress] })
    expect(asked()).toEqual([['isWhitelisted', sender], ['whitelisted']])
  })

  const shared = { kind: 'shared' }
  const own = (version: string) => ({ kind: 'own', version })
  test.each([
    ['/deposit', {}, shared, 'deposit', 'Successfully deposited'],
    ['/deposit', { useVp: 'true' }, own('0.6'), 'deposit', 'Successfully deposited'],
    ['/deposit/v2', {}, own('0.7'), 'deposit', 'Successfully deposited'],
    ['/deposit/v3', {}, own('0.8'), 'deposit', 'Successfully deposited'],
    ['/withdraw', {}, shared, 'withdraw', 'Successfully withdrawn'],
    ['/withdraw', { useVp: '1' }, own('0.6'), 'withdraw', 'Successfully withdrawn'],
    ['/withdraw/v2', {}, own('0.7'), 'withdraw', 'Successfully withdrawn'],
    ['/withdraw/v3', {}, own('0.8'), 'withdraw', 'Successfully withdrawn'],
  ])('%s %p', async (path, query, purse, call, done) => {
    expect(await post(path, ['0.25'], { query })).toEqual({
      ...sent,
      message: `${done} with transaction Hash ${transactionHash}`,
    })
    expect(asked()).toEqual([[call, purse, 25n * 10n ** 16n]])
  })

  test('/addStake', async () => {
    expect(await post('/addStake', ['EPV_07', '1'])).toEqual({
      ...sent,
      message: `Successfully staked with transaction Hash ${transactionHash}`,
    })
    expect(asked()).toEqual([['addStake', '0.7', 10n ** 18n]])
  })

  test('/deployVerifyingPaymaster', async () => {
    expect(await post('/deployVerifyingPaymaster', ['EPV_08'])).toEqual({
      ...sent,
      verifyingPaymaster: paymasterAddress,
      txHash: transactionHash,
    })
    expect(asked()).toEqual([['deploy', '0.8']])
  })

  test('paths are case-insensitive, and may end in a slash', async () => {
    expect((await post('/WHITELIST/', [sender])).status).toBe(200)
    expect((await app.send('POST', '//PayMaster/Deposit', { key, body: { params: ['1'] } })).status).toBe(200)
  })
})

describe('in the database', () => {
  for (const version of ['v2', 'v3']) {
    test(`/whitelist/${version} and its like`, async () => {
      const { key: own } = await app.tenant()
      const call = async (path: string, params: unknown[]) => {
        const { status, body } = await app.send('POST', `${path}/${version}`, { key: own, body: { params } })
        return { status, ...body }
      }
      expect(await call('/getAllWhitelist', [])).toEqual({ status: 200, addresses: [] })
      expect(await call('/checkWhitelist', [sender])).toEqual({ status: 200, message: 'Not added yet' })
      expect(await call('/whitelist', [[sender.toLowerCase(), other]])).toEqual({
        status: 200,
        message: 'Successfully whitelisted',
      })
      expect(await call('/whitelist', [sender])).toEqual({
        status: 409,
        error: 'Addresses were already added',
        code: 'already_whitelisted',
      })
      expect(await call('/checkWhitelist', [sender])).toEqual({ status: 200, message: 'Already added' })
      expect(await call('/getAllWhitelist', [])).toEqual({ status: 200, addresses: [sender, other] })
      expect(await call('/removeWhitelist', [[sender]])).toEqual({
        status: 200,
        message: 'Successfully removed whitelisted addresses',
      })
      expect(await call('/removeWhitelist', [[sender]])).toEqual({
        status: 409,
        error: 'Addresses sent were not whitelisted',
        code: 'not_whitelisted',
      })
      expect(await call('/getAllWhitelist', [])).toEqual({ status: 200, addresses: [other] })
    })
  }

  test('a policy has a list of its own, for its owner alone', async () => {
    const [mine, stranger] = [await app.tenant(), await app.tenant()]
    const made = await app.send('POST', '/addPolicy', { key: mine.key, body: {} })
    const call = (path: string, params: unknown[], by = mine.key) =>
      app.send('POST', path, { key: by, body: { params } })
    const id = String(made.body.id)
    expect((await call('/whitelist/v2', [[sender], id])).status).toBe(200)
    expect((await call('/getAllWhitelist/v2', [id])).body).toEqual({ addresses: [sender] })
    expect((await call('/getAllWhitelist/v2', [])).body).toEqual({ addresses: [] })
    expect((await call('/checkWhitelist/v2', [sender, made.body.id])).body.message).toBe('Already added')
    const unknown = { error: 'Sponsorship policy not found', code: 'policy_not_found' }
    for (const [path, params] of [
      ['/whitelist/v2', [[other], id]],
      ['/removeWhitelist/v2', [[sender], id]],
      ['/checkWhitelist/v2', [sender, id]],
      ['/getAllWhitelist/v2', [id]],
    ] as const)
      expect((await call(path, [...params], stranger.key)).body, path).toEqual(unknown)
    expect((await call('/getAllWhitelist/v2', ['999'])).status).toBe(404)
    expect((await call('/getAllWhitelist/v2', [id])).body).toEqual({ addresses: [sender] })
  })

  test('a list of one may be asked for, as the other calls take it', async () => {
    const { key: own } = await app.tenant()
    const call = (path: string, params: unknown[]) => app.send('POST', path, { key: own, body: { params } })
    await call('/whitelist/v2', [[sender]])
    expect((await call('/checkWhitelist/v2', [[sender]])).body).toEqual({ message: 'Already added' })
    expect((await call('/checkWhitelist/v2', [[sender, other]])).status).toBe(400)
  })

  test("with useVp the first form means the database: the tenant's own paymaster has no list on chain", async () => {
    const { key: own } = await app.tenant()
    const call = (path: string, params: unknown[]) =>
      app.send('POST', path, { key: own, query: { useVp: 'true' }, body: { params } })
    expect((await call('/whitelist', [[sender]])).body).toEqual({ message: 'Successfully whitelisted' })
    expect((await call('/checkWhitelist', [sender])).body).toEqual({ message: 'Already added' })
    expect((await call('/getAllWhitelist', [])).body).toEqual({ addresses: [sender] })
    expect((await call('/removeWhitelist', [sender])).status).toBe(200)
    expect(asked()).toEqual([])
  })

  test('who changed a list is written down', async () => {
    const { key: own, tenantId } = await app.tenant()
    await app.send('POST', '/whitelist/v2', { key: own, body: { params: [[sender, other]] } })
    const [entry] = await app.own.store.auditLog({ tenantId, limit: 1 })
    expect(entry).toMatchObject({ action: 'whitelist.add', subject: `${sender} and 1 more` })
  })
})

describe('what is told', () => {
  test('/getAllCommonERC20PaymasterAddress', async () => {
    const { message } = await post('/getAllCommonERC20PaymasterAddress', [entryPoint('0.6')])
    expect(JSON.parse(message)).toEqual([
      { paymasterAddress, gasToken: tokenAddress, chainId: 1337, decimals: 6 },
    ])
    expect(fake.calls).toEqual([{ name: 'commonPaymasters', args: ['0.6'] }])
  })

  test('... of all chains where none is named', async () => {
    await using two = await paymasterApp([fakePaymaster().port, fakePaymaster({ chainId: 10 }).port])
    const { key } = await two.tenant()
    const { body } = await two.send('POST', '/getAllCommonERC20PaymasterAddress', {
      key,
      body: { params: [entryPoint('0.6').toLowerCase()] },
    })
    expect(JSON.parse(body.message)).toHaveLength(2)
  })

  test.each([
    ['/metadata', '0.6'],
    ['/metadata/v2', '0.7'],
    ['/metadata/v3', '0.8'],
  ])('%s', async (path, version) => {
    const { status, body } = await app.send('GET', path, { query: { apiKey: key, chainId: '1337' } })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        sponsorAddress: paymasterAddress,
        sponsorWalletBalance: { type: 'BigNumber', hex: '0xde0b6b3a7640000' },
        chainsSupported: [1337],
        tokenPaymasters: { '1337': { TST: paymasterAddress } },
      },
    })
    expect(asked()).toEqual([['metadata', version]])
  })
})

describe('key and chain', () => {
  const deposit = (sending: Sending) => app.send('POST', '/deposit', sending)
  test.each([
    ['query', (key: string) => ({ query: { apiKey: key, chainId: '1337' }, body: { params: ['1'] } })],
    ['body', (key: string) => ({ body: { apiKey: key, chainId: 1337, params: ['1'] } })],
    ['header', (key: string) => ({ key, headers: { chainid: '1337' }, body: { params: ['1'] } })],
    ['params', (key: string) => ({ body: { params: ['1', 1337, key] } })],
  ])('in the %s', async (_where, sending) => {
    expect((await deposit(sending(key))).status).toBe(200)
  })

  test.each([
    ['none', {}, 'Api Key is required in header', 'api_key_missing'],
    ['a wrong one', { key: 'tandem_x' }, 'Invalid Api Key', 'api_key_invalid'],
    ['a hostile one', { key: "' OR 1=1 --" }, 'Invalid Api Key', 'api_key_invalid'],
  ])('%s', async (_name, sending, error, code) => {
    const { status, body } = await deposit({ ...sending, body: { params: ['1'] } })
    expect({ status, body }).toEqual({ status: 401, body: { error, code } })
    expect(fake.calls).toEqual([])
  })

  test('a key opens what it was made for', async () => {
    const { key: reader } = await app.tenant({ scopes: ['read'] })
    expect((await app.send('GET', '/metadata', { key: reader })).status).toBe(200)
    const refused = await app.send('POST', '/addPolicy', { key: reader, body: {} })
    expect(refused.status).toBe(401)
    expect(refused.body.error).toBe('The Api Key does not have the scope admin')
  })

  test.each([
    ['10', 'Unsupported network', 'unsupported_network'],
    ['x', 'Invalid chainId', 'invalid_chain_id'],
    ['0', 'Invalid chainId', 'invalid_chain_id'],
    ['-1', 'Invalid chainId', 'invalid_chain_id'],
    [`${2n ** 256n}`, 'Invalid chainId', 'invalid_chain_id'],
  ])('chain %s', async (chainId, error, code) => {
    const { status, body } = await deposit({ key, query: { chainId }, body: { params: ['1'] } })
    expect({ status, body }).toMatchObject({ status: 400, body: { error, code } })
  })

  test('the chain must be named where there are several', async () => {
    await using two = await paymasterApp([fakePaymaster().port, fakePaymaster({ chainId: 10 }).port])
    const { key } = await two.tenant()
    const sending = { key, body: { params: ['1'] } }
    expect((await two.send('POST', '/deposit', sending)).body).toMatchObject({ error: 'Invalid chainId' })
    expect((await two.send('POST', '/deposit', { ...sending, query: { chainId: '10' } })).status).toBe(200)
  })

  test('useVp is one of six words', async () => {
    const { status, body } = await deposit({ key, query: { useVp: 'maybe' }, body: { params: ['1'] } })
    expect({ status, body }).toEqual({ status: 400, body: { error: 'Invalid useVp', code: 'invalid_useVp' } })
  })
})

describe('bad input', () => {
  const invalid = { status: 400, error: 'Invalid data provided', code: 'invalid_data' }
  /** One argument a row, arrays too. */
  const each = (values: readonly unknown[]) => values.map((value) => [value] as const)
  const numbers = [
    ...['0', '0.0', '-1', '+1', 'NaN', 'Infinity', '1e18', '0x10', '1,5', ' 1', '', '1.0000000000000000001'],
    ...[`${2n ** 256n}`, "1'; drop table tenants; --", 0, -1, Number.MAX_VALUE, 1e-19, null, true, {}, [1]],
  ]
  for (const path of ['/deposit', '/deposit/v2', '/deposit/v3', '/withdraw'])
    test.each(each(numbers))(`${path} of %p`, async (amount) => {
      expect(await post(path, [amount])).toMatchObject(invalid)
      expect(fake.calls).toEqual([])
    })
  test.each(each(numbers))('/addStake of %p', async (amount) => {
    expect(await post('/addStake', ['EPV_06', amount])).toMatchObject(invalid)
  })
  test.each(each(['EPV_05', 'epv', '', 7, null, ['EPV_06']]))('version %p', async (version) => {
    expect(await post('/deployVerifyingPaymaster', [version])).toMatchObject(invalid)
    expect(await post('/addStake', [version, '1'])).toMatchObject(invalid)
  })

  const eleven = Array.from({ length: 11 }, (_, index) => address(index + 1))
  const addresses = [
    ...['', '0x', '0x12', `${sender}00`, sender.slice(2), sender.replace('0x', '0X'), 'vitalik.eth'],
    ...[`${sender}' or '1'='1`, 5, null, {}, [[]], [], [sender, null], [sender, '0x12'], [[[sender]]]],
  ]
  for (const path of [
    '/whitelist',
    '/removeWhitelist',
    '/checkWhitelist',
    '/whitelist/v2',
    '/checkWhitelist/v3',
  ])
    test.each(each(addresses))(`${path} of %p`, async (given) => {
      expect(await post(path, [given])).toMatchObject(invalid)
      expect(fake.calls).toEqual([])
    })
  test('more than ten addresses in a transaction', async () => {
    expect(await post('/whitelist', [eleven])).toMatchObject(invalid)
    expect((await post('/whitelist', [eleven.slice(1)])).status).toBe(200)
    expect((await post('/whitelist/v2', [eleven])).status).toBe(200)
  })
  test('addresses count in any case, whatever their checksum says', async () => {
    const mangled = `0x${other.slice(2).toUpperCase()}`
    await post('/whitelist', [mangled])
    expect(asked()).toEqual([['whitelist', [other]]])
  })
  test('no params, params of another kind, too many', async () => {
    for (const body of [
      {},
      { params: 'x' },
      { params: {} },
      { params: [] },
      { params: ['1', 1337, 'k', 'x'] },
    ])
      expect((await app.send('POST', '/deposit', { key, body })).body).toMatchObject({
        error: 'Invalid data provided',
      })
  })
  test.each(['{', 'null', '[]', '5', '"x"', 'apiKey=1&chainId=2', '<xml/>', '\u0000'])(
    'the body %p',
    async (body) => {
      const { status, body: told } = await app.send('POST', '/deposit', { key, body })
      expect({ status, error: told.error }).toEqual({ status: 400, error: 'Invalid data provided' })
    },
  )
  test('any content type', async () => {
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])
      expect(
        (
          await app.send('POST', '/deposit', {
            key,
            headers: { 'content-type': type },
            body: { params: ['1'] },
          })
        ).status,
      ).toBe(200)
  })
  test('a body over the limit', async () => {
    const { status, body } = await app.send('POST', '/whitelist/v2', {
      key,
      body: 'x'.repeat(1024 * 1024 + 1),
    })
    expect({ status, body }).toEqual({
      status: 413,
      body: { error: 'the body is over the limit of 1048576 bytes', code: 'body_too_large' },
    })
  })
  test.each([
    '/nothing',
    '/whitelist/v4',
    '/policy/1/2',
    '/deposit/v2/x',
    '/%zz',
    '/..%2f..%2fetc',
    '/__proto__',
  ])('the path %s', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status, body } = await app.send(method, path, { key })
      expect({ status, body }).toEqual({ status: 404, body: { error: 'Not found', code: 'not_found' } })
    }
  })
  test('another method than the path has', async () => {
    const { status, body, headers } = await app.send('GET', '/deposit', { key })
    expect({ status, body }).toEqual({
      status: 405,
      body: { error: 'Method not allowed', code: 'method_not_allowed' },
    })
    expect(headers.get('allow')).toBe('POST')
    expect((await app.send('GET', '')).headers.get('allow')).toBe('POST')
  })
  test('elsewhere there is nothing, as before', async () => {
    for (const path of ['//paymasters', '//nothing', '//v2/1'])
      expect((await app.send('POST', path)).body).toEqual({
        error: 'not found: JSON-RPC is POST /v1/<chain id>/',
      })
  })
})

describe('refusals', () => {
  const refusing = (error: Error) =>
    paymasterApp([fakePaymaster({ deposit: () => Promise.reject(error) }).port])
  test('are told with their text and code', async () => {
    const error = new PaymasterError('refused', 'not_deployed', 'Paymaster not deployed', {
      details: 'Verifying paymaster not deployed',
    })
    await using refuser = await refusing(error)
    const { key } = await refuser.tenant()
    const { status, body } = await refuser.send('POST', '/deposit', { key, body: { params: ['1'] } })
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error: 'Paymaster not deployed',
        code: 'not_deployed',
        details: 'Verifying paymaster not deployed',
      },
    })
  })
  test.each([
    ['a node that does not answer', trouble(), 503, 'unavailable', 'Temporarily unavailable'],
    ['a mistake of ours', new TypeError('undefined is no function'), 500, 'internal_error', 'Internal error'],
  ])('%s costs nothing and tells nothing', async (_name, error, expected, code, text) => {
    await using refuser = await refusing(error)
    const { key } = await refuser.tenant({ creditsPerMonth: 100 })
    const { status, body, headers } = await refuser.send('POST', '/deposit', { key, body: { params: ['1'] } })
    expect({ status, body }).toEqual({
      status: expected,
      body: { error: text, code, logId: expect.any(String) },
    })
    expect(headers.get('x-credits-cost')).toBe('0')
    expect(headers.get('x-credits-remaining')).toBe('100')
    expect(refuser.server.lines.join()).toContain(body.logId)
    expect(refuser.server.lines.join()).not.toContain(key)
  })
})

describe('wait', () => {
  const waiting = (mined: () => Promise<void>) => paymasterApp([fakePaymaster({ mined }).port])
  test('until the transaction is in a block', async () => {
    const [asked, block] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await using app = await waiting(() => {
      asked.resolve()
      return block.promise
    })
    const { key } = await app.tenant()
    let done = false
    const answer = app
      .send('POST', '/deposit', { key, query: { wait: 'true' }, body: { params: ['1'] } })
      .finally(() => {
        done = true
      })
    await asked.promise
    expect(done).toBe(false)
    block.resolve()
    expect((await answer).body).toMatchObject({ transactionHash, mined: true })
  })
  test('in vain: the hash is told all the same', async () => {
    await using app = await waiting(() => Promise.reject(trouble()))
    const { key } = await app.tenant()
    const { status, body } = await app.send('POST', '/addStake', {
      key,
      body: { params: ['EPV_06', '1'], wait: true },
    })
    expect({ status, body }).toMatchObject({ status: 200, body: { transactionHash, mined: false } })
  })
  test('is a flag', async () => {
    const { status, body } = await app.send('POST', '/deposit', {
      key,
      query: { wait: 'long' },
      body: { params: ['1'] },
    })
    expect({ status, body }).toMatchObject({ status: 400, body: { error: 'Invalid wait' } })
    expect(fake.calls).toEqual([])
  })
})

describe('a JSON-RPC envelope around a REST call', () => {
  const call = (body: object) =>
    app.send('POST', '/deposit', { key, body: { jsonrpc: '2.0', id: 7, ...body } })
  test('is answered by one', async () => {
    const { status, body } = await call({ method: 'deposit', params: ['1'] })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { jsonrpc: '2.0', id: 7, result: { transactionHash } },
    })
  })
  test('has the error with the same text', async () => {
    const { status, body } = await call({ method: 'deposit', params: ['0'] })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        jsonrpc: '2.0',
        id: 7,
        error: {
          code: -32602,
          message: 'Invalid data provided',
          data: { code: 'invalid_data', details: 'the amount must be more than zero' },
        },
      },
    })
  })
  test('without a method it is a plain call', async () => {
    expect((await call({ params: ['0'] })).status).toBe(400)
  })
})
