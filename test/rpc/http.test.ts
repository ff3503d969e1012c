import { afterEach, describe, expect, test } from 'bun:test'
import { type Listener, listen } from '../../src/http/listen.ts'
import { fakeBundler } from '../support/fakeBundler.ts'
import { type Answer, rpcApp } from '../support/rpcApp.ts'

const chainId = { id: 1, method: 'eth_chainId' }
const listeners: Listener[] = []
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.stop(1000)))
})

function start(app: Parameters<typeof listen>[0]): string {
  const listener = listen(app, { port: 0, host: '127.0.0.1' })
  listeners.push(listener)
  return listener.url
}

/** Two chains, the second by its host too. */
function twoChains() {
  const first = fakeBundler()
  const second = fakeBundler({ chainId: 10 })
  return rpcApp(first, {
    chains: [
      { bundler: first, redirectRpc: true, hosts: [] },
      { bundler: second, redirectRpc: true, hosts: ['Ten.example'] },
    ],
  })
}

describe('addresses', () => {
  for (const path of ['/v1/1337', '/v1/1337/', '/', '/v1/1337/?apiKey=x']) {
    test(`POST ${path} reaches the only chain`, async () => {
      const response = await rpcApp(fakeBundler()).post(chainId, path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.json()).toEqual({ id: 1, result: '0x539' })
    })
  }

  test('the path decides between chains', async () => {
    expect(await (await twoChains().post(chainId, '/v1/10')).json()).toEqual({ id: 1, result: '0xa' })
    expect(await (await twoChains().post(chainId, '/v1/1337/')).json()).toEqual({ id: 1, result: '0x539' })
  })

  for (const host of ['ten.example', 'TEN.example:4337']) {
    test(`the host ${host} means its chain`, async () => {
      expect(await (await twoChains().post(chainId, '/', { host })).json()).toEqual({ id: 1, result: '0xa' })
    })
  }

  test('a root path that could mean either is 404 and names the chains', async () => {
    const response = await twoChains().post(chainId, '/', { host: 'eleven.example' })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32600,
        message: 'the path names no chain: use /v1/<chain id>/; served: 1337, 10',
        data: { chains: [1337, 10] },
      },
    })
  })

  for (const chain of ['5', 'mainnet', '0x539', '1337.0']) {
    test(`the chain ${chain} is 404 and names the chains`, async () => {
      const response = await rpcApp(fakeBundler()).post(chainId, `/v1/${chain}/`)
      expect(response.status).toBe(404)
      const { error } = (await response.json()) as Answer
      expect(error).toMatchObject({ code: -32600, data: { chains: [1337] } })
      expect(error?.message).toEndWith('is not served; served: 1337')
    })
  }

  for (const url of ['http://localhost/v1/%F0/', 'http://localhost/%F0']) {
    test(`a path that cannot be decoded (${url}) is 404`, async () => {
      const { app } = rpcApp(fakeBundler())
      expect((await app.handle(new Request(url, { method: 'POST', body: '{}' }))).status).toBe(404)
      const real = url.replace('http://localhost', start(app))
      expect((await fetch(real, { method: 'POST', body: '{}' })).status).toBe(404)
    })
  }

  test('other paths are 404 in JSON', async () => {
    const response = await rpcApp(fakeBundler()).post(chainId, '/v2/1337')
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: 'not found: JSON-RPC is POST /v1/<chain id>/' })
  })
})

describe('a chain that is being started', () => {
  const bundler = fakeBundler({ chainId: 10 })
  const refusal = {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32603, message: 'Internal error', data: { hint: 'the chain is being started' } },
  }

  for (const [chainIds, path] of [
    [[10], '/v1/10/'],
    [[10], '/'],
    [[undefined], '/v1/10/'],
    [[10, 1337], '/'],
  ] as const) {
    test(`of ${JSON.stringify(chainIds)}: POST ${path} is answered when it is there, and before that no mistake`, async () => {
      const server = rpcApp(bundler, { chains: [], chainIds })
      const early = await server.post(chainId, path)
      expect([early.status, await early.json()]).toEqual([503, refusal])
      server.chains.set(10, { bundler, redirectRpc: true, hosts: ['ten.example'] })
      expect((await server.post(chainId, path, { host: 'ten.example' })).status).toBe(200)
    })
  }

  test('is no reason to wait for others', async () => {
    const server = rpcApp(fakeBundler(), { chainIds: [1337, 10] })
    expect((await server.post(chainId, '/v1/1337')).status).toBe(200)
    expect((await server.post(chainId, '/v1/11')).status).toBe(404)
  })

  test('whose id is found out leaves no other to be expected', async () => {
    const server = rpcApp(fakeBundler(), { chainIds: [undefined] })
    expect((await server.post(chainId, '/v1/11')).status).toBe(404)
  })
})

describe('an unexpected fault of the server', () => {
  test('is HTTP 500 without a cause, which is in the log', async () => {
    const server = rpcApp(fakeBundler(), { readiness: () => Promise.reject(new Error('secret')) })
    const response = await server.app.handle(new Request('http://localhost/ready'))
    expect([response.status, await response.json()]).toEqual([500, { error: 'internal error' }])
    expect(server.lines.map((line) => JSON.parse(line).error)).toEqual(['secret'])
  })
})

describe('bodies', () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense']) {
    test(`of type ${type} count if they parse`, async () => {
      const response = await rpcApp(fakeBundler()).post(chainId, '/', { 'content-type': type })
      expect(await response.json()).toEqual({ id: 1, result: '0x539' })
    })
  }

  const tooLarge = {
    jsonrpc: '2.0',
    id: null,
    error: {
      code: -32600,
      message: 'the body is over the limit of 1048576 bytes',
      data: { maximum: 1_048_576 },
    },
  }

  test('over the limit are 413, over a real connection', async () => {
    const url = start(rpcApp(fakeBundler()).app)
    const response = await fetch(`${url}/v1/1337/`, { method: 'POST', body: 'x'.repeat(10_000_000) })
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual(tooLarge)
    const next = await fetch(`${url}/v1/1337/`, { method: 'POST', body: JSON.stringify(chainId) })
    expect(await next.json()).toEqual({ id: 1, result: '0x539' })
  })

  test('without a declared length are counted while they arrive', async () => {
    let pulled = 0
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(100_000).fill(32))
      },
    })
    const request = new Request('http://localhost/', { method: 'POST', body: endless })
    const response = await rpcApp(fakeBundler()).app.handle(request)
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual(tooLarge)
    expect(pulled).toBeLessThan(20)
  })

  test('of exactly the limit are read', async () => {
    const text = JSON.stringify(chainId).padEnd(1024 * 1024, ' ')
    expect((await rpcApp(fakeBundler()).post(text)).status).toBe(200)
  })

  test('are UTF-8 even where a character is cut in two', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ id: 'ü€😀', method: 'eth_chainId' }))
    const singly = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      },
    })
    const request = new Request('http://localhost/', { method: 'POST', body: singly })
    const response = await rpcApp(fakeBundler()).app.handle(request)
    expect(await response.json()).toEqual({ id: 'ü€😀', result: '0x539' })
  })
})

describe('browsers', () => {
  const origin = 'https://wallet.example'

  test('of any origin may call by default', async () => {
    const response = await rpcApp(fakeBundler()).post(chainId, '/', { origin })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('may read errors too', async () => {
    const response = await rpcApp(fakeBundler()).post(chainId, '/v1/5', { origin })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  test.each(['/', '/v1/1337', '/v1/1337/'])('ask first at %s', async (path) => {
    const request = new Request(`http://localhost${path}`, { method: 'OPTIONS', headers: { origin } })
    const response = await rpcApp(fakeBundler()).app.handle(request)
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, GET, PUT, DELETE, OPTIONS',
      'access-control-allow-headers': '*, authorization',
    })
  })

  test('of listed origins only, where some are listed', async () => {
    const server = rpcApp(fakeBundler(), { corsOrigins: [origin] })
    const allowed = await server.post(chainId, '/', { origin })
    const other = await server.post(chainId, '/', { origin: 'https://other.example' })
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin)
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
    expect(other.headers.get('vary')).toBe('origin')
  })
})

describe('health', () => {
  const get = (app: { handle: (request: Request) => Promise<Response> }, path: string) =>
    app.handle(new Request(`http://localhost${path}`))

  test('GET /health says that the process lives', async () => {
    const response = await get(rpcApp(fakeBundler()).app, '/health')
    expect([response.status, await response.json()]).toEqual([200, { alive: true }])
  })

  test('GET /ready says yes', async () => {
    const response = await get(rpcApp(fakeBundler()).app, '/ready')
    expect([response.status, await response.json()]).toEqual([200, { ready: true }])
  })

  test('GET /ready says no, and to the public nothing more', async () => {
    const readiness = async () => ({ ready: false, missing: ['chain 1337: no fresh head'] })
    const response = await get(rpcApp(fakeBundler(), { readiness }).app, '/ready')
    expect([response.status, await response.json()]).toEqual([503, { ready: false }])
  })
})

describe('metrics', () => {
  async function metricsAfter(bodies: readonly object[]): Promise<string> {
    const server = rpcApp(fakeBundler())
    for (const body of bodies) await server.post(body)
    return server.metrics.text()
  }

  test('count calls by method and outcome; unknown names share one label', async () => {
    const text = await metricsAfter([chainId, chainId, { id: 1, method: 'a' }, { id: 1, method: 'b' }])
    expect(text).toContain('tandem_rpc_requests_total{chain="1337",method="eth_chainId",code="ok"} 2')
    expect(text).toContain('tandem_rpc_requests_total{chain="1337",method="unknown",code="-32601"} 2')
    expect(text).toContain('tandem_rpc_request_seconds_count{chain="1337",method="eth_chainId"} 2')
  })

  test('are not public', async () => {
    const { app } = rpcApp(fakeBundler())
    expect((await app.handle(new Request('http://localhost/metrics'))).status).toBe(404)
  })
})

describe('the listener', () => {
  test('says when the port is taken', () => {
    const url = start(rpcApp(fakeBundler()).app)
    const again = () =>
      listen(rpcApp(fakeBundler()).app, { port: Number(new URL(url).port), host: '127.0.0.1' })
    expect(again).toThrow(`port ${new URL(url).port} is in use: choose another`)
  })

  test('lets a call that is under way end before it stops', async () => {
    const gate = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const bundler = fakeBundler({
      async gasPrice() {
        arrived.resolve()
        await gate.promise
        return { baseFee: 1n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, legacy: false }
      },
    })
    const listener = listen(rpcApp(bundler).app, { port: 0, host: '127.0.0.1' })
    const body = JSON.stringify({ id: 1, method: 'rundler_maxPriorityFeePerGas' })
    const answer = fetch(listener.url, { method: 'POST', body })
    await arrived.promise
    const stopped = listener.stop(10_000)
    gate.resolve()
    expect(await (await answer).json()).toEqual({ id: 1, result: '0x1' })
    await stopped
    await expect(fetch(listener.url, { method: 'POST', body })).rejects.toThrow()
  })
})
