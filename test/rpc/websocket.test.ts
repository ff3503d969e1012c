import { afterEach, describe, expect, test } from 'bun:test'
import type { Json } from '../../src/base/errors.ts'
import { type Listener, listen } from '../../src/http/listen.ts'
import type { BundlerPort } from '../../src/types/ports/bundler.ts'
import {
  entryPoint,
  fakeBundler,
  hashOf,
  includedState,
  otherAddress,
  senderAddress,
  stateChange,
} from '../support/fakeBundler.ts'
import { paymasterService } from '../support/fakePaymaster.ts'
import { type Answer, rpcApp } from '../support/rpcApp.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

function serve(bundler: BundlerPort, overrides: Parameters<typeof rpcApp>[1] = {}) {
  const server = rpcApp(bundler, overrides)
  const listener: Listener = listen(server.app, { port: 0, host: '127.0.0.1' })
  stops.push(() => listener.stop(1000))
  return { ...server, url: listener.url.replace('http', 'ws') }
}

/** A client whose messages are awaited one after the other. */
async function connect(url: string) {
  const socket = new WebSocket(url)
  const closed = Promise.withResolvers<number>()
  const messages: string[] = []
  const waiting: ((text: string) => void)[] = []
  socket.onmessage = ({ data }) => {
    const next = waiting.shift()
    if (next === undefined) messages.push(String(data))
    else next(String(data))
  }
  socket.onclose = ({ code }) => closed.resolve(code)
  stops.push(() => socket.close())
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error('not connected'))
  })
  const next = async (): Promise<Answer & { method?: string; params?: Json }> => {
    const text = messages.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)))
    return JSON.parse(text)
  }
  return {
    socket,
    closed: closed.promise,
    next,
    async call(method: string, params: readonly Json[] = []) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      return next()
    },
  }
}

describe('requests over a WebSocket', () => {
  for (const path of ['/v1/1337', '/v1/1337/', '/']) {
    test(`at ${path} are answered`, async () => {
      const client = await connect(serve(fakeBundler()).url + path)
      expect(await client.call('eth_chainId')).toEqual({ jsonrpc: '2.0', id: 1, result: '0x539' })
    })
  }

  test('are charged to the key that the connection came with', async () => {
    await using test = await paymasterService()
    const { key } = await test.tenant({ creditsPerMonth: 7 })
    const { url } = serve(fakeBundler(), { paymaster: test.service })
    const client = await connect(`${url}/v1/1337?apiKey=${key}`)
    expect((await client.call('eth_chainId')).result).toBe('0x539')
    expect((await client.call('eth_chainId')).error).toMatchObject({
      code: -32005,
      message: 'limit exceeded',
    })
  })

  test('may be batches', async () => {
    const client = await connect(`${serve(fakeBundler()).url}/v1/1337/`)
    client.socket.send(JSON.stringify([{ id: 1, method: 'eth_chainId' }, { method: 'eth_chainId' }]))
    expect((await client.next()) as Json).toEqual([{ id: 1, result: '0x539' }])
  })

  test('may be bytes', async () => {
    const client = await connect(`${serve(fakeBundler()).url}/v1/1337/`)
    client.socket.send(new TextEncoder().encode(JSON.stringify({ id: 1, method: 'eth_chainId' })))
    expect(await client.next()).toEqual({ id: 1, result: '0x539' })
  })

  for (const [text, code] of [
    ['{"id":', -32700],
    ['nonsense', -32700],
    ['', -32700],
    ['12', -32600],
    ['[]', -32600],
  ] as const) {
    test(`${JSON.stringify(text)} is ${code}, and the connection stays`, async () => {
      const client = await connect(`${serve(fakeBundler()).url}/v1/1337/`)
      client.socket.send(text)
      expect((await client.next()).error?.code).toBe(code)
      expect((await client.call('eth_chainId')).result).toBe('0x539')
    })
  }

  test('notifications are not answered', async () => {
    const client = await connect(`${serve(fakeBundler()).url}/v1/1337/`)
    client.socket.send(JSON.stringify({ method: 'web3_clientVersion' }))
    expect((await client.call('eth_chainId')).result).toBe('0x539')
  })

  test('too many at once are refused', async () => {
    const gate = Promise.withResolvers<never>()
    gate.promise.catch(() => {})
    const bundler = fakeBundler({ gasPrice: () => gate.promise })
    const client = await connect(`${serve(bundler).url}/v1/1337/`)
    for (let id = 0; id <= 100; id++)
      client.socket.send(JSON.stringify({ id, method: 'bundler_getGasPrice' }))
    expect(await client.next()).toEqual({
      id: 100,
      error: { code: -32005, message: 'limit exceeded', data: { retryAfterMs: 1000, maximum: 100 } },
    })
    gate.reject(new Error('over'))
    expect((await client.next()).error?.code).toBe(-32603)
  })

  test('larger than a body may be end the connection', async () => {
    const client = await connect(`${serve(fakeBundler()).url}/v1/1337/`)
    client.socket.send('x'.repeat(1024 * 1024 + 1))
    expect(await client.closed).toBeGreaterThan(1000)
  })

  test('of an unknown chain are refused', async () => {
    const { url } = serve(fakeBundler())
    await expect(connect(`${url}/v1/5/`)).rejects.toThrow('not connected')
  })

  test('more connections than allowed are refused, until one closes', async () => {
    const { url } = serve(fakeBundler(), { limits: { maxWebSockets: 1 } })
    const first = await connect(`${url}/`)
    await first.call('eth_chainId')
    await expect(connect(`${url}/`)).rejects.toThrow('not connected')
    first.socket.close()
    await first.closed
    const second = await connect(`${url}/`)
    expect((await second.call('eth_chainId')).result).toBe('0x539')
  })

  test('clients are told when the service stops', async () => {
    const { url, closeSockets } = serve(fakeBundler())
    const client = await connect(`${url}/`)
    await client.call('eth_chainId')
    closeSockets()
    expect(await client.closed).toBe(1001)
  })
})

describe('eth_subscribe userOperations', () => {
  const pending = stateChange({ kind: 'pending' })
  const included = stateChange(includedState, { at: 2000 })
  const shown = {
    hash: hashOf('aa'),
    sender: senderAddress,
    entryPoint: entryPoint(),
  }
  const push = (subscription: Json | undefined, result: Json) => ({
    jsonrpc: '2.0',
    method: 'eth_subscription',
    params: { subscription, result },
  })

  for (const filter of [{ hash: hashOf('AA') }, { sender: senderAddress.toLowerCase() }]) {
    test(`pushes every change by ${Object.keys(filter)}, and of no other operation`, async () => {
      const bundler = fakeBundler()
      const client = await connect(`${serve(bundler).url}/v1/1337/`)
      const { result: id } = await client.call('eth_subscribe', ['userOperations', filter])
      expect(id).toMatch(/^0x[0-9a-f]{32}$/)
      bundler.emit(pending)
      bundler.emit(stateChange({ kind: 'pending' }, { hash: hashOf('ee'), sender: otherAddress }))
      bundler.emit(included)
      expect(await client.next()).toEqual(push(id, { status: 'pending', ...shown, at: 1000 }) as Answer)
      expect(await client.next()).toEqual(
        push(id, {
          status: 'included',
          ...shown,
          at: 2000,
          transactionHash: hashOf('bb'),
          blockHash: hashOf('cc'),
          blockNumber: '0x10',
          success: true,
        }) as Answer,
      )
    })
  }

  test('what changes before the answer is pushed after it', async () => {
    const gate = Promise.withResolvers<void>()
    const subscribed = Promise.withResolvers<void>()
    const bundler = fakeBundler({
      async gasPrice() {
        subscribed.resolve()
        await gate.promise
        return { baseFee: 1n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, legacy: false }
      },
    })
    const client = await connect(`${serve(bundler).url}/v1/1337/`)
    client.socket.send(
      JSON.stringify([
        { id: 1, method: 'eth_subscribe', params: ['userOperations', { hash: hashOf('aa') }] },
        { id: 2, method: 'rundler_maxPriorityFeePerGas' },
      ]),
    )
    await subscribed.promise
    bundler.emit(pending)
    gate.resolve()
    const [first] = (await client.next()) as unknown as Answer[]
    expect(await client.next()).toEqual(
      push(first?.result, { status: 'pending', ...shown, at: 1000 }) as Answer,
    )
  })

  test('eth_unsubscribe ends it', async () => {
    const bundler = fakeBundler()
    const client = await connect(`${serve(bundler).url}/v1/1337/`)
    const { result: id = null } = await client.call('eth_subscribe', [
      'userOperations',
      { hash: hashOf('aa') },
    ])
    expect((await client.call('eth_unsubscribe', [id])).result).toBe(true)
    bundler.emit(pending)
    expect((await client.call('eth_unsubscribe', [id])).result).toBe(false)
  })

  test("one client cannot end another's", async () => {
    const { url } = serve(fakeBundler())
    const [first, second] = await Promise.all([connect(`${url}/`), connect(`${url}/`)])
    const { result: id = null } = await first.call('eth_subscribe', [
      'userOperations',
      { hash: hashOf('aa') },
    ])
    expect((await second.call('eth_unsubscribe', [id])).result).toBe(false)
    expect((await first.call('eth_unsubscribe', [id])).result).toBe(true)
  })

  for (const params of [
    ['userOperations'],
    ['userOperations', null],
    ['userOperations', {}],
    ['userOperations', { hash: null }],
    ['userOperations', { hash: hashOf('aa'), sender: senderAddress }],
  ]) {
    test(`${JSON.stringify(params).slice(0, 50)} is refused: one filter is required`, async () => {
      const client = await connect(`${serve(fakeBundler()).url}/`)
      expect((await client.call('eth_subscribe', params)).error).toEqual({
        code: -32602,
        message: 'a filter is required: {hash} or {sender}',
        data: { path: 'params[1]' },
      })
    })
  }

  test('null counts as absent in a filter, whatever its name', async () => {
    const client = await connect(`${serve(fakeBundler()).url}/`)
    const filter = { hash: hashOf('aa'), sender: null, topics: null }
    expect((await client.call('eth_subscribe', ['userOperations', filter])).result).toBeString()
  })

  for (const params of [
    ['newHeads'],
    ['userOperations', { hash: '0x1' }],
    ['userOperations', { all: true }],
  ]) {
    test(`${JSON.stringify(params)} is refused`, async () => {
      const client = await connect(`${serve(fakeBundler()).url}/`)
      expect((await client.call('eth_subscribe', params)).error?.code).toBe(-32602)
    })
  }

  test('has a limit for each connection', async () => {
    const client = await connect(`${serve(fakeBundler(), { limits: { maxSubscriptions: 1 } }).url}/`)
    const params = ['userOperations', { hash: hashOf('aa') }]
    const { result: id = null } = await client.call('eth_subscribe', params)
    expect((await client.call('eth_subscribe', params)).error).toEqual({
      code: -32005,
      message: 'limit exceeded',
      data: { retryAfterMs: 10_000, maximum: 1 },
    })
    await client.call('eth_unsubscribe', [id])
    expect((await client.call('eth_subscribe', params)).error).toBeUndefined()
  })

  for (const method of ['eth_subscribe', 'eth_unsubscribe']) {
    test(`${method} over HTTP says what it needs`, async () => {
      const params = method === 'eth_subscribe' ? ['userOperations', { hash: hashOf('aa') }] : ['0x1']
      expect((await rpcApp(fakeBundler()).call(method, params)).error).toEqual({
        code: -32601,
        message: 'subscriptions need a WebSocket',
      })
    })
  }
})
