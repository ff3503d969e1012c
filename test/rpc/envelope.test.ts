import { describe, expect, test } from 'bun:test'
import { fakeBundler } from '../support/fakeBundler.ts'
import { type Answer, rpcApp } from '../support/rpcApp.ts'

const server = () => rpcApp(fakeBundler())
const chainId = { method: 'eth_chainId' }

async function answerTo(
  body: string | object,
): Promise<{ status: number; body: Answer | Answer[] | undefined }> {
  const response = await server().post(body)
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

describe('the envelope', () => {
  test('echoes jsonrpc and the id', async () => {
    expect(await answerTo({ jsonrpc: '2.0', id: 7, ...chainId })).toEqual({
      status: 200,
      body: { jsonrpc: '2.0', id: 7, result: '0x539' },
    })
  })

  test('leaves jsonrpc out when it was not sent', async () => {
    expect((await answerTo({ id: 7, ...chainId })).body).toEqual({ id: 7, result: '0x539' })
  })

  for (const id of [0, -1, 1.5, 'a', '', null]) {
    test(`takes the id ${JSON.stringify(id)}`, async () => {
      expect((await answerTo({ id, ...chainId })).body).toEqual({ id, result: '0x539' })
    })
  }

  for (const id of [true, {}, [1]]) {
    test(`refuses the id ${JSON.stringify(id)}`, async () => {
      expect(await answerTo({ id, ...chainId })).toEqual({
        status: 200,
        body: { id: null, error: { code: -32600, message: 'id must be a number, a string or null' } },
      })
    })
  }

  test('a notification is not answered', async () => {
    expect(await answerTo({ jsonrpc: '2.0', ...chainId })).toEqual({ status: 200, body: undefined })
  })

  test('a notification that fails is not answered either', async () => {
    expect(await answerTo({ jsonrpc: '2.0', method: 'nope' })).toEqual({ status: 200, body: undefined })
  })

  for (const params of [undefined, null, []]) {
    test(`params may be ${JSON.stringify(params)}`, async () => {
      expect((await answerTo({ id: 1, ...chainId, params })).body).toEqual({ id: 1, result: '0x539' })
    })
  }

  test('named params are invalid params', async () => {
    expect((await answerTo({ id: 1, ...chainId, params: { a: 1 } })).body).toEqual({
      id: 1,
      error: { code: -32602, message: 'params must be an array', data: { path: 'params' } },
    })
  })

  test('a parameter too many is an error', async () => {
    expect((await answerTo({ id: 1, ...chainId, params: [null, 1] })).body).toEqual({
      id: 1,
      error: { code: -32602, message: 'no parameters are expected', data: { path: 'params[1]' } },
    })
  })

  test('trailing nulls count as absent', async () => {
    expect((await answerTo({ id: 1, ...chainId, params: [null, null] })).body).toEqual({
      id: 1,
      result: '0x539',
    })
  })

  for (const body of ['', '{', '{"id":1,', 'nonsense', `${'['.repeat(1000)}`]) {
    test(`broken JSON ${JSON.stringify(body.slice(0, 10))} is a parse error`, async () => {
      expect(await answerTo(body)).toEqual({
        status: 200,
        body: {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32700, message: 'the request is not valid JSON' },
        },
      })
    })
  }

  for (const body of ['1', '"text"', 'null', 'true']) {
    test(`the JSON value ${body} is no request`, async () => {
      expect((await answerTo(body)).body).toEqual({
        id: null,
        error: { code: -32600, message: 'a request must be an object' },
      })
    })
  }

  test('a request without a method is invalid, whatever its id', async () => {
    const error = { code: -32600, message: 'method must be a string' }
    expect((await answerTo({ id: 3 })).body).toEqual({ id: 3, error })
    expect((await answerTo({ foo: 'boo' })).body).toEqual({ id: null, error })
    expect((await answerTo({ id: 3, method: 1 })).body).toEqual({ id: 3, error })
  })

  test('another jsonrpc version is invalid', async () => {
    expect((await answerTo({ jsonrpc: '1.0', id: 1, ...chainId })).body).toEqual({
      id: 1,
      error: { code: -32600, message: 'jsonrpc must be "2.0"' },
    })
  })

  test('an unknown method names the nearest one', async () => {
    expect((await answerTo({ id: 1, method: 'eth_sendUserOperatoin' })).body).toEqual({
      id: 1,
      error: {
        code: -32601,
        message: 'the method eth_sendUserOperatoin is not available',
        data: { hint: 'did you mean eth_sendUserOperation?' },
      },
    })
  })

  test('a method name of half a megabyte is answered shortly', async () => {
    const { body } = await answerTo({ id: 1, method: 'x'.repeat(500_000) })
    expect(body).toEqual({
      id: 1,
      error: { code: -32601, message: `the method ${'x'.repeat(64)}… is not available` },
    })
  })

  test('names of object properties are not methods', async () => {
    const { body } = await answerTo({ id: 1, method: 'constructor' })
    expect((body as Answer).error?.code).toBe(-32601)
  })
})

describe('a batch', () => {
  test('has an answer for each call, in order, and none for notifications', async () => {
    const { status, body } = await answerTo([
      { jsonrpc: '2.0', id: 1, ...chainId },
      { jsonrpc: '2.0', ...chainId },
      1,
      { id: 'b', method: 'web3_clientVersion' },
    ])
    expect(status).toBe(200)
    expect(body).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x539' },
      { id: null, error: { code: -32600, message: 'a request must be an object' } },
      { id: 'b', result: 'tandem/1.2.3' },
    ])
  })

  test('of notifications only is not answered', async () => {
    expect(await answerTo([chainId, chainId])).toEqual({ status: 200, body: undefined })
  })

  test('that is empty is one invalid request', async () => {
    expect((await answerTo([])).body).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'an empty batch is not a request' },
    })
  })

  test('of 100,000 calls is one invalid request, and no call is made', async () => {
    const body = `[${Array(100_000).fill('1').join(',')}]`
    const { status, body: answer } = await answerTo(body)
    expect(status).toBe(200)
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32600,
        message: 'a batch of 100000 calls is over the limit of 100',
        data: { maximum: 100 },
      },
    })
  })

  test('of the limit is answered in full', async () => {
    const { body } = await answerTo(Array.from({ length: 100 }, (_, id) => ({ id, ...chainId })))
    expect(body).toEqual(Array.from({ length: 100 }, (_, id) => ({ id, result: '0x539' })))
  })

  test('runs its calls side by side', async () => {
    const both = Promise.withResolvers<void>()
    let started = 0
    const bundler = fakeBundler({
      async gasPrice() {
        started += 1
        if (started === 2) both.resolve()
        await both.promise
        return { baseFee: 1n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, legacy: false }
      },
    })
    const call = { method: 'rundler_maxPriorityFeePerGas' }
    const response = await rpcApp(bundler).post([
      { id: 1, ...call },
      { id: 2, ...call },
    ])
    expect(await response.json()).toEqual([
      { id: 1, result: '0x1' },
      { id: 2, result: '0x1' },
    ])
  })
})
