import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { getAddress } from 'viem'
import { NodeError } from '../../src/chain/node-error.ts'
import { PaymasterError } from '../../src/paymaster/paymaster-error.ts'
import { PriceUnavailable } from '../../src/paymaster/prices/price-unavailable.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { SponsorRequest } from '../../src/types/ports/paymaster.ts'
import { address } from '../support/builders.ts'
import { entryPoint, senderAddress, trouble, userOp, wireOp } from '../support/fakeBundler.ts'
import { fakePaymaster, gas, paymasterAddress, tokenAddress } from '../support/fakePaymaster.ts'
import { type PaymasterApp, paymasterApp, type Sending } from '../support/paymasterApp.ts'

const fake = fakePaymaster()
let app: PaymasterApp
let key: string
beforeAll(async () => {
  app = await paymasterApp([fake.port])
  ;({ key } = await app.tenant({ scopes: ['sponsor'] }))
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => fake.calls.splice(0))

const sponsor = { mode: 'sponsor' }
/** A call to the paymaster's address, its answer without the envelope. */
async function call(method: string, params: readonly unknown[], sending: Sending = { key }) {
  const { status, body } = await app.send('POST', '', {
    ...sending,
    body: { jsonrpc: '2.0', id: 3, method, params },
  })
  expect({ status, jsonrpc: body.jsonrpc, id: body.id }).toEqual({ status: 200, jsonrpc: '2.0', id: 3 })
  return body.error === undefined ? body.result : { error: body.error }
}
const error = (code: number, message: string, data: object) => ({ error: { code, message, data } })
/** What the chain's paymaster was asked. */
const asked = () => fake.calls.map(({ name, args: [request] }) => ({ name, ...(request as SponsorRequest) }))

const limits = { preVerificationGas: '0xc738', verificationGasLimit: '0xf230', callGasLimit: '0x11d28' }
const split = { paymaster: paymasterAddress, paymasterData: '0xabcdef' }
const packed = { paymasterAndData: `${paymasterAddress.toLowerCase()}abcdef` }
const paymasterLimits = { paymasterVerificationGasLimit: '0x61a8', paymasterPostOpGasLimit: '0x2710' }

describe('pm_sponsorUserOperation', () => {
  test('0.6: packed', async () => {
    const op = wireOp({ version: '0.6' })
    expect(await call('pm_sponsorUserOperation', [op, entryPoint('0.6'), sponsor])).toEqual({
      ...packed,
      ...limits,
    })
  })
  test.each(['0.7', '0.8'] as const)('%s: split, with the gas of the paymaster', async (version) => {
    const op = wireOp({ version })
    expect(await call('pm_sponsorUserOperation', [op, entryPoint(version), sponsor])).toEqual({
      ...split,
      ...limits,
      ...paymasterLimits,
    })
  })
  test('the operation may lack gas, fees and signature; those that were put in are told', async () => {
    const fees = { maxFeePerGas: 5n, maxPriorityFeePerGas: 4n }
    await using filling = await paymasterApp([
      fakePaymaster({ sponsorOperation: async ({ op }) => ({ ...op, ...gas, ...fees }) }).port,
    ])
    const { key } = await filling.tenant()
    const { body } = await filling.send('POST', '', {
      key,
      body: {
        id: 1,
        method: 'pm_sponsorUserOperation',
        params: [{ sender: senderAddress, nonce: '1', callData: '0x' }, entryPoint()],
      },
    })
    expect(body.result).toMatchObject({ ...limits, maxFeePerGas: '0x5', maxPriorityFeePerGas: '0x4' })
  })
  test('who asks, for what, and how it is paid for', async () => {
    const context = { mode: 'sponsor', sponsorshipPolicyId: '7', validUntil: 2e12, validAfter: null }
    await call('pm_sponsorUserOperation', [wireOp(), entryPoint(), context], {
      key,
      query: { useVp: 'true', chainId: '1337' },
    })
    expect(asked()).toEqual([
      {
        name: 'sponsorOperation',
        caller: expect.objectContaining({ tenant: expect.objectContaining({ name: 'Acme' }) }),
        op: userOp(),
        context: { mode: 'sponsor', policyId: 7, validUntil: 2e12, validAfter: undefined },
        useVp: true,
      },
    ])
  })
  test.each([
    [
      { mode: 'erc20', token: 'USDC' },
      { mode: 'erc20', token: 'USDC' },
    ],
    [
      { mode: 'multitoken', token: tokenAddress.toLowerCase() },
      { mode: 'multitoken', token: tokenAddress },
    ],
    [{ token: tokenAddress }, { mode: 'commonerc20', token: tokenAddress }],
  ])('the context %j', async (given, context) => {
    await call('pm_sponsorUserOperation', [wireOp(), entryPoint(), given])
    expect(asked()).toMatchObject([{ context }])
  })
})

describe('ERC-7677', () => {
  const chainId = '0x539'
  test('stub: gas of the paymaster, who sponsors, and that it is not final', async () => {
    expect(await call('pm_getPaymasterStubData', [wireOp(), entryPoint(), chainId, sponsor])).toEqual({
      ...split,
      ...paymasterLimits,
      sponsor: { name: 'Acme' },
      isFinal: false,
    })
    expect(
      await call('pm_getPaymasterStubData', [wireOp({ version: '0.6' }), entryPoint('0.6'), chainId]),
    ).toEqual({ ...packed, sponsor: { name: 'Acme' }, isFinal: false })
    expect(asked().map(({ name }) => name)).toEqual(['stub', 'stub'])
  })
  test('stub: an icon where there is one', async () => {
    const icon = 'data:image/svg+xml;base64,AAAA'
    await using branded = await paymasterApp([fakePaymaster({ sponsor: { name: 'Acme', icon } }).port])
    const { key } = await branded.tenant()
    const params = [wireOp(), entryPoint(), chainId, null]
    const { body } = await branded.send('POST', '', {
      key,
      body: { id: 1, method: 'pm_getPaymasterStubData', params },
    })
    expect(body.result.sponsor).toEqual({ name: 'Acme', icon })
  })
  test('data: for the limits that the operation has', async () => {
    const op = wireOp({
      paymaster: paymasterAddress,
      paymasterVerificationGasLimit: 25_000n,
      paymasterPostOpGasLimit: 10_000n,
    })
    expect(await call('pm_getPaymasterData', [op, entryPoint(), chainId, sponsor])).toEqual(split)
    const v06 = [wireOp({ version: '0.6' }), entryPoint('0.6'), chainId, sponsor]
    expect(await call('pm_getPaymasterData', v06)).toEqual(packed)
  })
  test('data: other limits of the paymaster are told', async () => {
    expect(await call('pm_getPaymasterData', [wireOp(), entryPoint(), chainId, sponsor])).toEqual({
      ...split,
      ...paymasterLimits,
    })
  })
  test('the chain of the params wins', async () => {
    const params = [wireOp(), entryPoint(), '0x1', sponsor]
    expect(await call('pm_getPaymasterData', params, { key, query: { chainId: '1337' } })).toEqual(
      error(-32602, 'Unsupported network', { code: 'unsupported_network', served: [1337] }),
    )
  })
})

describe('quotes', () => {
  test('pm_getERC20TokenQuotes', async () => {
    const tokens = [{ token: tokenAddress.toLowerCase() }, { token: 'nonsense' }]
    expect(await call('pm_getERC20TokenQuotes', [wireOp(), entryPoint(), tokens])).toEqual({
      etherUSDExchangeRate: '0x3a35294400',
      paymasterAddress,
      gasEstimates: limits,
      feeEstimates: { maxFeePerGas: '0x3', maxPriorityFeePerGas: '0x2' },
      quotes: [
        {
          token: tokenAddress,
          symbol: 'TST',
          decimals: 6,
          etherTokenExchangeRate: '0x9502f900',
          serviceFeePercent: 10,
        },
      ],
      unsupportedTokens: [{ token: 'nonsense' }],
    })
    expect(asked()).toMatchObject([{ op: userOp(), tokens: [tokenAddress] }])
  })
  test('pimlico_getTokenQuotes: the rate has the fee inside, dollars have 6 decimals', async () => {
    expect(await call('pimlico_getTokenQuotes', [{ tokens: [tokenAddress] }, entryPoint(), '0x539'])).toEqual(
      {
        quotes: [
          {
            paymaster: paymasterAddress,
            token: tokenAddress,
            postOpGas: '0xea60',
            exchangeRate: `0x${2_750_000_000n.toString(16)}`,
            exchangeRateNativeToUsd: `0x${2_500_000000n.toString(16)}`,
          },
        ],
      },
    )
    expect(asked()).toMatchObject([{ version: '0.7', tokens: [tokenAddress] }])
  })
})

test('pm_supportedEntryPoints', async () => {
  expect(await call('pm_supportedEntryPoints', [])).toEqual(
    (['0.8', '0.7', '0.6'] as EntryPointVersion[]).map(entryPoint),
  )
})

describe('where the key and the chain are', () => {
  const op = wireOp()
  test('the key is in the query, the body, the header, or at params[4]; the chain at params[3]', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'pm_sponsorUserOperation',
      params: [op, entryPoint(), sponsor],
    }
    const answers = await Promise.all([
      app.send('POST', '', { query: { apiKey: key, chainId: '1337' }, body }),
      app.send('POST', '', { body: { ...body, apiKey: key, chainId: 1337 } }),
      app.send('POST', '', { headers: { 'x-api-key': key }, body }),
      app.send('POST', '', { body: { ...body, params: [...body.params, 1337, key] } }),
    ])
    expect(answers.map(({ body }) => body.error ?? 'fine')).toEqual(['fine', 'fine', 'fine', 'fine'])
  })
  test('no key, a wrong one, and one that may not sponsor', async () => {
    const params = [op, entryPoint(), sponsor]
    expect(await call('pm_sponsorUserOperation', params, {})).toEqual(
      error(-32001, 'Api Key is required in header', { code: 'api_key_missing' }),
    )
    expect(await call('pm_sponsorUserOperation', params, { key: 'x' })).toEqual(
      error(-32001, 'Invalid Api Key', { code: 'api_key_invalid' }),
    )
    const { key: reader } = await app.tenant({ scopes: ['read'] })
    expect(await call('pm_sponsorUserOperation', params, { key: reader })).toEqual(
      error(-32001, 'The Api Key does not have the scope sponsor', { code: 'api_key_scope' }),
    )
    expect(fake.calls).toEqual([])
  })
})

describe("on the bundler's address", () => {
  const at = (path: string, params: readonly unknown[], method = 'pm_getPaymasterData') =>
    app.send('POST', path, { query: { apiKey: key }, body: { id: 1, method, params } })
  test('one URL serves a wallet', async () => {
    const { body, headers } = await at('//v1/1337', [wireOp(), entryPoint(), '0x539', sponsor])
    expect(body).toEqual({ id: 1, result: { ...split, ...paymasterLimits } })
    expect(headers.get('x-credits-cost')).toBe('450')
  })
  test('the chain is the one of the address', async () => {
    expect(
      (await at('//v1/1337', [wireOp(), entryPoint()], 'pm_sponsorUserOperation')).body.error,
    ).toBeUndefined()
    const { body } = await at('//v1/1337', [wireOp(), entryPoint(), '0x1', sponsor])
    expect(body.error).toMatchObject({
      code: -32602,
      message: 'Invalid chainId: this address is for chain 1337',
    })
  })
  test('the key may be in the body', async () => {
    const { body } = await app.send('POST', '//v1/1337', {
      body: { id: 1, apiKey: key, method: 'pm_getPaymasterData', params: [wireOp(), entryPoint(), '0x539'] },
    })
    expect(body.result).toEqual({ ...split, ...paymasterLimits })
  })
  test('a key is needed', async () => {
    const { body } = await app.send('POST', '//v1/1337', {
      body: { id: 1, method: 'pm_getPaymasterData', params: [wireOp(), entryPoint(), '0x539'] },
    })
    expect(body.error).toMatchObject({ code: -32001, message: 'Api Key is required in header' })
  })
})

describe('a call without a method is the sponsor call of old SDKs', () => {
  const params = () => [wireOp({ version: '0.6' }), entryPoint('0.6'), sponsor, 1337, key]
  test('its answer', async () => {
    const { status, body, headers } = await app.send('POST', '', {
      body: { jsonrpc: 2, id: 2, params: params() },
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: { jsonrpc: 2, id: 2, result: { ...packed, ...limits } },
    })
    expect(headers.get('x-credits-cost')).toBe('700')
  })
  test('without an envelope', async () => {
    const { body } = await app.send('POST', '', { body: { params: params() } })
    expect(body).toEqual({ ...packed, ...limits })
  })
  test.each([
    ['no key', { jsonrpc: 2, params: [] }, 401, 'Api Key is required in header'],
    ['no params', { jsonrpc: 2 }, 401, 'Api Key is required in header'],
  ])('%s', async (_name, body, status, error) => {
    expect(await app.send('POST', '', { body })).toMatchObject({ status, body: { error } })
  })
  test('its failures are a text', async () => {
    const failing = async (...changes: readonly unknown[]) => {
      const given = Object.assign(params(), changes)
      const { status, body } = await app.send('POST', '', { body: { jsonrpc: '2.0', id: 1, params: given } })
      return { status, body }
    }
    expect(await failing(wireOp({ version: '0.6' }), entryPoint('0.6'), { mode: 'free' })).toEqual({
      status: 400,
      body: { error: 'Invalid mode selected' },
    })
    expect(await failing({ sender: '0x' })).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    })
  })
})

describe('refusals', () => {
  const refused = async (error: Error) => {
    await using app = await paymasterApp([fakePaymaster({ data: () => Promise.reject(error) }).port])
    const { key } = await app.tenant({ creditsPerMonth: 1000 })
    const params = [wireOp(), entryPoint(), '0x539', sponsor]
    const { body, headers } = await app.send('POST', '', {
      key,
      body: { id: 1, method: 'pm_getPaymasterData', params },
    })
    return { error: body.error, remaining: headers.get('x-credits-remaining') }
  }
  test('of a policy: the text, and which one in data.code', async () => {
    expect(
      await refused(new PaymasterError('refused', 'policy_disabled', 'Sponsorship policy is disabled')),
    ).toEqual({
      error: { code: -32501, message: 'Sponsorship policy is disabled', data: { code: 'policy_disabled' } },
      remaining: '550',
    })
  })
  test.each([
    ['does not answer', trouble()],
    ['answers with an error of its own', new NodeError(-32000, 'quota of key 5ec2e7 is used up')],
  ])('a node that %s: our fault, and free', async (_what, error) => {
    expect(await refused(error)).toEqual({
      error: { code: -32603, message: 'Internal error', data: { logId: expect.any(String) } },
      remaining: '1000',
    })
  })
  test('a price source that is down or stale: said so, but not which', async () => {
    expect(await refused(new PriceUnavailable('price of x at https://prices.example/5ec2e7'))).toEqual({
      error: { code: -32603, message: 'No current price is known', data: { logId: expect.any(String) } },
      remaining: '1000',
    })
  })
})

describe('bad input', () => {
  test.each([
    [[], 'userOperation is missing'],
    [[wireOp()], 'entryPoint is missing'],
    [[5, entryPoint()], 'a UserOperation object is expected'],
    [[wireOp(), '0x12'], 'entryPoint must be an address (0x and 40 hex digits)'],
    [[{ ...wireOp(), callGasLimit: '-1' }, entryPoint()], expect.stringContaining('callGasLimit must be')],
    [[{ ...wireOp(), nonce: `${2n ** 256n}` }, entryPoint()], 'nonce is out of range'],
    [[{ ...wireOp(), maxFeePerGas: 'NaN' }, entryPoint()], expect.stringContaining('maxFeePerGas must be')],
    [[{ ...wireOp(), extra: 1 }, entryPoint()], 'extra is not a field of a 0.7 UserOperation'],
    [[wireOp(), entryPoint(), 'sponsor'], 'Invalid context'],
    [[wireOp(), entryPoint(), { mode: 'free' }], 'Invalid mode selected'],
    [[wireOp(), entryPoint(), { mode: 'multitoken', token: 'USDC' }], 'Unsupported network/token'],
    [[wireOp(), entryPoint(), { mode: 'erc20' }], 'Unsupported network/token'],
    [[wireOp(), entryPoint(), sponsor, 'x'], 'Invalid chainId'],
    [[wireOp(), entryPoint(), sponsor, 0], 'Invalid chainId'],
    [[wireOp(), entryPoint(), sponsor, 1337, null, 'extra'], 'at most 5 parameters'],
  ] as const)('%#', async (params, message) => {
    expect(await call('pm_sponsorUserOperation', params)).toMatchObject({ error: { code: -32602, message } })
    expect(fake.calls).toEqual([])
  })
  test("another's policy id is for the paymaster to judge, one that is none is unknown", async () => {
    expect(
      await call('pm_sponsorUserOperation', [wireOp(), entryPoint(), { policyId: "1' or 1=1" }]),
    ).toMatchObject({ error: { message: 'Sponsorship policy not found' } })
  })
  test('an EntryPoint that is not served names those that are', async () => {
    expect(await call('pm_sponsorUserOperation', [wireOp(), getAddress(address(5))])).toMatchObject({
      error: {
        code: -32602,
        data: { entryPoints: ['0.8', '0.7', '0.6'].map((v) => entryPoint(v as '0.8')) },
      },
    })
  })
  test('unknown methods', async () => {
    expect(await call('pm_sponsorUserOperations', [])).toEqual(
      error(-32601, 'the method pm_sponsorUserOperations is not available', {
        hint: 'did you mean pm_sponsorUserOperation?',
      }),
    )
    expect(await call('eth_chainId', [])).toMatchObject({ error: { code: -32601 } })
  })
  test.each([
    ['{', -32700],
    ['[]', -32600],
    ['5', -32600],
    ['{}', -32600],
    ['', -32600],
  ])('the body %s', async (body, code) => {
    const answer = await app.send('POST', '', { key, body })
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status: 200, code })
  })
})

test('a batch: each call answered by itself, all on one bill', async () => {
  const data = { method: 'pm_getPaymasterData', params: [wireOp(), entryPoint(), '0x539'] }
  const { body, headers } = await app.send('POST', '', {
    key,
    body: [{ id: 1, ...data }, data, { id: 2, method: 'nothing' }, { id: 3, ...data, params: [5] }],
  })
  expect(body.map(({ id, error }: { id: number; error?: { code: number } }) => [id, error?.code])).toEqual([
    [1, undefined],
    [2, -32601],
    [3, -32602],
  ])
  expect(headers.get('x-credits-cost')).toBe('1350')
})

test('each call of a batch may have a key of its own', async () => {
  const data = { method: 'pm_getPaymasterData', params: [wireOp(), entryPoint(), '0x539'] }
  const { body } = await app.send('POST', '', {
    body: [
      { id: 1, apiKey: key, ...data },
      { id: 2, ...data },
    ],
  })
  expect(body.map(({ id, error }: { id: number; error?: { code: number } }) => [id, error?.code])).toEqual([
    [1, undefined],
    [2, -32001],
  ])
})
