import { afterEach, describe, expect, test } from 'bun:test'
import { type Listener, listen } from '../../src/http/listen.ts'
import type { GasEstimate } from '../../src/types/gas.ts'
import type { BundlerPort } from '../../src/types/ports/bundler.ts'
import { entryPoint, fakeBundler, wireOp } from '../support/fakeBundler.ts'
import { type Answer, rpcApp } from '../support/rpcApp.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const limit = (retryAfterMs: number) => ({ code: -32005, message: 'limit exceeded', data: { retryAfterMs } })

/** Two calls a client, and then one in about eleven days: time plays no part. */
const two = { limits: { clientRate: 1e-6, clientBurst: 2 } }

function serve(overrides: Parameters<typeof rpcApp>[1], bundler: BundlerPort = fakeBundler()) {
  const server = rpcApp(bundler, overrides)
  const listener: Listener = listen(server.app, { port: 0, host: '127.0.0.1' })
  stops.push(() => listener.stop(1000))
  return listener.url
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(`${url}/v1/1337/`, { method: 'POST', body: JSON.stringify(body), headers })
  expect(response.status).toBe(200)
  return response.json()
}

const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
const answered = { jsonrpc: '2.0', id: 1, result: '0x539' }
const refused = {
  jsonrpc: '2.0',
  id: 1,
  error: { ...limit(0), data: { retryAfterMs: expect.any(Number) } },
}

describe('a client address', () => {
  test('has so many calls, and hears when there will be more', async () => {
    const url = serve(two)
    expect([await post(url, call), await post(url, call)]).toEqual([answered, answered])
    const { error } = (await post(url, call)) as Answer
    expect(error).toEqual({ ...limit(0), data: { retryAfterMs: expect.any(Number) } })
    expect(error?.data?.retryAfterMs).toBeGreaterThan(900_000_000)
  })

  test('has no limit unless one is set', async () => {
    const url = serve({ limits: { maxBatch: 1000 } })
    const calls = Array.from({ length: 1000 }, () => call)
    expect(await post(url, calls)).toEqual(calls.map(() => answered))
  })

  test('pays for each call of a batch, and each is answered by itself', async () => {
    expect(await post(serve(two), [call, call, call])).toEqual([answered, answered, refused])
  })

  test('pays for calls that are wrong, too', async () => {
    const url = serve(two)
    await post(url, [{ id: 1, method: 'nonsense' }, 7])
    expect(await post(url, call)).toEqual(refused)
  })

  test('is the one that a trusted proxy names', async () => {
    const url = serve({ ...two, trustedProxies: ['127.0.0.0/8'] })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    await post(url, [call, call], from('203.0.113.9'))
    expect(await post(url, call, from('198.51.100.1, 203.0.113.9'))).toEqual(refused)
    expect(await post(url, call, from('203.0.113.9, 198.51.100.1'))).toEqual(answered)
  })

  test('is the proxy itself where nobody trusts it', async () => {
    const url = serve(two)
    await post(url, [call, call], { 'x-forwarded-for': '203.0.113.9' })
    expect(await post(url, call, { 'x-forwarded-for': '198.51.100.1' })).toEqual(refused)
  })

  test('is read from Forwarded where that is the header', async () => {
    const url = serve({ ...two, trustedProxies: ['127.0.0.1'], forwardingHeader: 'forwarded' })
    await post(url, [call, call], { forwarded: 'for=203.0.113.9' })
    expect(await post(url, call, { forwarded: 'for=203.0.113.9' })).toEqual(refused)
    expect(await post(url, call, { forwarded: 'for=198.51.100.1' })).toEqual(answered)
  })

  test('has the same limit over WebSockets, all of them together', async () => {
    const url = serve({ ...two, trustedProxies: ['127.0.0.1'] })
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const ask = async () => {
      // The types of browsers do not know the headers that Bun takes.
      const arguments_ = [`${url.replace('http', 'ws')}/v1/1337/`, { headers }]
      const socket: WebSocket = Reflect.construct(WebSocket, arguments_)
      stops.push(() => socket.close())
      const answer = Promise.withResolvers<unknown>()
      socket.onopen = () => socket.send(JSON.stringify(call))
      socket.onmessage = ({ data }) => answer.resolve(JSON.parse(String(data)))
      return answer.promise
    }
    expect([await ask(), await ask(), await ask()]).toEqual([answered, answered, refused])
    expect(await post(url, call, headers)).toEqual(refused)
    expect(await post(url, call)).toEqual(answered)
  })
})

describe('simulations that change nothing', () => {
  const estimates: Record<string, (gate: Promise<never>) => Partial<BundlerPort>> = {
    eth_estimateUserOperationGas: (gate) => ({ estimate: () => gate as Promise<GasEstimate> }),
    bundler_explainUserOperation: (gate) => ({ explain: () => gate }),
    bundler_dropUserOperation: (gate) => ({ drop: () => gate }),
  }
  for (const [method, ports] of Object.entries(estimates)) {
    test(`${method}: more than the budget holds are refused at once, and sending goes on`, async () => {
      const gate = Promise.withResolvers<never>()
      const bundler = fakeBundler({ ...ports(gate.promise), send: async () => `0x${'aa'.repeat(32)}` })
      const server = rpcApp(bundler, { limits: { maxBatch: 1000 } })
      const params = [wireOp(), entryPoint()]
      const response = server.post(Array.from({ length: 600 }, (_, id) => ({ id, method, params })))
      expect((await server.call('eth_sendUserOperation', params)).result).toBe(`0x${'aa'.repeat(32)}`)
      gate.reject(new Error('the test is over'))
      const answers = (await (await response).json()) as Answer[]
      const limited = answers.filter(({ error }) => error?.code === -32005)
      expect(limited).toHaveLength(600 - 16 - 512)
      expect(limited[0]?.error).toEqual(limit(1000))
    })
  }
})
