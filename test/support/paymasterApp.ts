import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { findEndpoint } from '../../src/http/paymaster/router.ts'
import { paymasterMethods } from '../../src/rpc/paymaster/methods.ts'
import type { PaymasterPort } from '../../src/types/ports/paymaster.ts'
import { fakeBundler } from './fakeBundler.ts'
import { paymasterService, type TestService } from './fakePaymaster.ts'
import { rpcApp } from './rpcApp.ts'

/** What a request answered. */
export type Told = { status: number; body: Body; headers: Headers }
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, compared as a whole
type Body = any

export type Sending = {
  key?: string | undefined
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: object | string
}

/** The public server with a paymaster service over faked chains. */
export type PaymasterApp = AsyncDisposable &
  TestService & {
    server: ReturnType<typeof rpcApp>
    /** At a path below `/paymaster`, or at any other that begins with `//`. */
    send(method: string, path: string, sending?: Sending): Promise<Told>
  }

export async function paymasterApp(
  ports: readonly PaymasterPort[],
  overrides: Parameters<typeof rpcApp>[1] = {},
): Promise<PaymasterApp> {
  const test = await paymasterService(...ports)
  const server = rpcApp(fakeBundler(), { ...overrides, paymaster: test.service })
  return {
    ...test,
    server,
    async send(method, path, { key, query = {}, headers = {}, body } = {}) {
      const url = new URL(path.startsWith('//') ? path.slice(1) : `/paymaster${path}`, 'http://localhost')
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      const response = await server.app.handle(
        new Request(url, {
          method,
          headers: { ...(key === undefined ? {} : { apikey: key }), ...headers },
          ...(text === undefined ? {} : { body: text }),
        }),
      )
      const answer = await response.json()
      if (response.status === 200) expectDocumented(method, path, body, answer)
      return { status: response.status, body: answer, headers: response.headers }
    },
  }
}

/** A good answer is of the shape that the call documents. */
function expectDocumented(
  method: string,
  path: string,
  sent: object | string | undefined,
  answer: Body,
): void {
  const given = typeof sent === 'object' ? (sent as { method?: string }) : {}
  const rpc = paymasterMethods.find(({ name }) => name === given.method)
  const found = findEndpoint(method, path)
  const answers = 'candidates' in found ? found.candidates.map((call) => call.answer) : []
  const documented = path === '' ? rpc?.result : Type.Union(answers)
  const told = given.method === undefined ? answer : answer.result
  if (documented === undefined || told === undefined || path.startsWith('//')) return
  const fault = Value.Errors(documented, told).First()
  if (fault !== undefined) throw new Error(`${method} ${path}: ${fault.path} ${fault.message}`)
}
