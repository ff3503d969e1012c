import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Listener, listen } from '../../src/http/listen.ts'
import { endpoints } from '../../src/http/paymaster/endpoints.ts'
import { fakeBundler } from '../support/fakeBundler.ts'
import { fakePaymaster } from '../support/fakePaymaster.ts'
import { type PaymasterApp, paymasterApp } from '../support/paymasterApp.ts'
import { rpcApp } from '../support/rpcApp.ts'

let app: PaymasterApp
let key: string
beforeAll(async () => {
  app = await paymasterApp([fakePaymaster().port], { paymasterHosts: ['Paymaster.example'] })
  ;({ key } = await app.tenant())
})
afterAll(() => app[Symbol.asyncDispose]())

type Document = {
  openapi: string
  paths: { [path: string]: { [method: string]: { requestBody?: object; responses: object } } }
}
const documented = (document: Document): string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
/** Paths of a server, but for preflights, WebSockets and what falls through to the paymaster. */
const routes = (routes: readonly { method: string; path: string }[]): string[] =>
  routes
    .filter(({ method, path }) => ['GET', 'POST'].includes(method) && !path.endsWith('*'))
    .map(({ method, path }) => `${method} ${path.replace(':chainId', '{chainId}')}`)
const rest = (base: string) => endpoints.map(({ method, path }) => `${method} ${base}${path}`)
const unique = (names: readonly string[]) => [...new Set(names)].toSorted()

describe('the document', () => {
  test('has every path that is served, and no other', async () => {
    const { body } = await app.send('GET', '//openapi/json')
    expect(body.openapi).toBe('3.1.0')
    expect(documented(body).toSorted()).toEqual(
      unique([...routes(app.server.app.routes), 'POST /paymaster', ...rest('/paymaster')]),
    )
  })

  test('every documented path answers', async () => {
    const { body } = await app.send('GET', '//openapi/json')
    for (const name of documented(body)) {
      const [method = '', path = ''] = name.split(' ')
      const { status, body: answer } = await app.send(method, `/${path.replace('{chainId}', '1337')}`)
      const rpc = path === '/' || path === '/v1/{chainId}' || path === '/paymaster'
      const expected = rpc
        ? [200, undefined]
        : path.startsWith('/paymaster')
          ? [401, 'api_key_missing']
          : [200, undefined]
      expect([status, answer.code], name).toEqual(expected)
    }
  })

  test('without a paymaster is about the bundler alone', async () => {
    const { app } = rpcApp(fakeBundler())
    const response = await app.handle(new Request('http://localhost/openapi/json'))
    expect(documented((await response.json()) as Document).toSorted()).toEqual(unique(routes(app.routes)))
  })

  test('a call says what it takes and costs', async () => {
    const { body } = await app.send('GET', '//openapi/json')
    const { post } = body.paths['/paymaster/deposit']
    expect(post.requestBody.content['application/json'].schema.properties.params).toMatchObject({
      type: 'array',
      minItems: 1,
      prefixItems: [{ title: 'amount' }, { title: 'chainId' }, { title: 'apiKey' }],
    })
    expect(post['x-credits']).toBe(10)
    expect(post.parameters.map(({ name }: { name: string }) => name)).toEqual(['chainId', 'useVp', 'wait'])
    const rpc = body.paths['/paymaster'].post
    expect(Object.keys(rpc['x-methods'])).toContain('pm_sponsorUserOperation')
  })
})

describe('a host of its own', () => {
  const at = async (method: string, path: string, body?: object) => {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { host: 'paymaster.EXAMPLE:8080', apikey: key },
      ...(body && { body: JSON.stringify(body) }),
    })
    const response = await app.server.app.handle(request)
    return { status: response.status, body: response.status === 204 ? undefined : await response.json() }
  }
  test('has the paths at its root', async () => {
    expect(await at('POST', '/deposit', { params: ['1'] })).toMatchObject({ status: 200 })
    expect(await at('POST', '/', { id: 1, method: 'pm_supportedEntryPoints' })).toMatchObject({
      body: { id: 1 },
    })
    expect(await at('GET', '/health')).toEqual({ status: 200, body: { alive: true } })
    expect(await at('OPTIONS', '/deposit')).toEqual({ status: 204, body: undefined })
    expect((await at('POST', '/v1/1337', { id: 1, method: 'eth_chainId' })).status).toBe(404)
  })
  test('and a document of its own', async () => {
    const { body } = await at('GET', '/openapi/json')
    expect(documented(body as Document).toSorted()).toEqual(
      unique(['GET /health', 'GET /openapi/json', 'POST /', ...rest('')]),
    )
  })
  test('other hosts are the bundler', async () => {
    const { body } = await app.send('POST', '//', { body: { id: 1, method: 'eth_chainId' } })
    expect(body).toEqual({ id: 1, result: '0x539' })
  })
})

test('a port of its own', async () => {
  const { paymasterApp: own } = app.server
  if (own === undefined) throw new Error('there is a paymaster')
  const listener: Listener = listen(own, { port: 0, host: '127.0.0.1' })
  try {
    const response = await fetch(`${listener.url}/deposit/v2?apiKey=${key}&chainId=1337`, {
      method: 'POST',
      body: JSON.stringify({ params: ['1'] }),
    })
    expect(response.status).toBe(200)
    expect((await fetch(`${listener.url}/nothing`)).status).toBe(404)
    expect((await fetch(`${listener.url}/deposit`, { method: 'OPTIONS' })).status).toBe(204)
  } finally {
    await listener.stop(1000)
  }
})

test('without a paymaster its paths do not exist, and keys mean nothing', async () => {
  const { app } = rpcApp(fakeBundler())
  const response = await app.handle(new Request('http://localhost/paymaster/deposit', { method: 'POST' }))
  expect(response.status).toBe(404)
})
