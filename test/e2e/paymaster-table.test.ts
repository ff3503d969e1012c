import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Hash } from 'viem'
import { endpoints } from '../../src/http/paymaster/endpoints.ts'
import { findEndpoint } from '../../src/http/paymaster/router.ts'
import { paymasterMethods } from '../../src/rpc/paymaster/methods.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { type PaymasterHome, paymasterHome } from '../support/paymasterService.ts'
import type { RunningService } from '../support/service.ts'
import { inOrder, type Left, readLeft } from '../support/table/left.ts'
import { paymasterRows, type Row } from '../support/table/paymasterRows.ts'
import { expected, filled, type Template, type Values } from '../support/table/template.ts'
import { newWalker, type Walker } from '../support/table/walker.ts'

/** Where a call says who asks and for which chain; where it has no such place, in a header. */
const forms = ['query', 'body', 'header', 'params'] as const
type Form = (typeof forms)[number]

let chain: DevChain
let home: PaymasterHome
let service: RunningService
/** Who tries what is not its own; has neither coins nor paymasters. */
let stranger: Walker
const walkers = new Map<Form, Walker>()

beforeAll(async () => {
  chain = await startDevChain()
  home = await paymasterHome(chain)
  service = await home.serve('--token-markup', '1000')
  stranger = await newWalker('Eve', chain, home)
  await rpc(chain.url, 'anvil_setBalance', [stranger.key.wallet, '0x0'])
}, 60_000)
afterAll(async () => {
  await service?.kill('SIGTERM')
  home?.remove()
  await chain?.stop()
})

const isOfSomebody = ({ path, payload, leaves }: Row): boolean =>
  leaves !== undefined || /\{(wallet|policy|newer)/.test(JSON.stringify([path, payload]))
const rowsOfSomebody = paymasterRows.filter(isOfSomebody)

test('every call that is served has a row', () => {
  const paths = new Set(
    paymasterRows.flatMap(({ method, path }) => {
      const found = findEndpoint(method, path.split('?')[0] ?? '')
      return 'candidates' in found ? found.candidates : []
    }),
  )
  expect(endpoints.filter((endpoint) => !paths.has(endpoint)).map(({ path }) => path)).toEqual([])
  const methods = new Set(paymasterRows.map(({ payload }) => payload?.method))
  expect(paymasterMethods.map(({ name }) => name).filter((name) => !methods.has(name))).toEqual([])
})

const isRpc = ({ path }: Row): boolean => !path.startsWith('/')

describe.each(forms)('key and chain in the %s', (form) => {
  beforeAll(async () => {
    walkers.set(form, await newWalker(form, chain, home))
  })

  test.each(paymasterRows.map((row) => [titleOf(row), row] as const))('%s', async (_title, row) => {
    const walker = walkerOf(form)
    const { status, body } = await send(requestOf(row, form, walker))
    for (const [name, field] of Object.entries(row.keeps ?? {}))
      walker.values = { ...walker.values, [name]: body[field], [`${name} text`]: String(body[field]) }
    const answer = { status: row.status ?? 200, body: expected(row.answer, walker.values) }
    expect({ status, body }).toEqual(answer)
    // The bundler's address names the chain itself, and serves the same.
    if (isRpc(row) && form === 'header')
      expect(await send(requestOf(row, form, walker), service.url)).toEqual(answer)
    if (row.leaves === undefined) return
    if (body.transactionHash !== undefined) await inBlock(body.transactionHash)
    expect(await left(walker)).toMatchObject(leavesOf(row, walker.values))
    // However the key is told, it is the same that is asked.
    if (form === 'query') await tryAsStranger(row, walker)
  })

  test('all of it is there after kill -9 and a restart', async () => {
    const walker = walkerOf(form)
    const before = await left(walker)
    await service.kill('SIGKILL')
    service = await home.serve('--token-markup', '1000')
    expect(await left(walker)).toEqual(before)
  })
})

test.each(rowsOfSomebody.map((row) => [titleOf(row), row] as const))('of another tenant: %s', (_title, row) =>
  tryAsStranger(row, walkerOf('query')),
)

/** What a call is sent as. */
type Sent = { method: string; path: string; headers: Record<string, string>; body: Template | undefined }

function requestOf({ method, path, payload, places }: Row, form: Form, { key, values }: Walker): Sent {
  const body = method === 'GET' ? undefined : { ...(filled(payload ?? {}, values) as object) }
  const request: Sent = { method, path: String(filled(path, values)), headers: {}, body }
  const chainId = String(chain.chainId)
  if (form === 'query') {
    const query = new URLSearchParams({ apiKey: key.text, chainId })
    return { ...request, path: `${request.path}${path.includes('?') ? '&' : '?'}${query}` }
  }
  if (form === 'body' && body !== undefined)
    return { ...request, body: { ...body, apiKey: key.text, chainId } }
  if (form === 'params' && places !== undefined)
    return { ...request, body: { ...body, params: placed(body, places, { chainId, apiKey: key.text }) } }
  return { ...request, headers: { apikey: key.text, chainid: chainId } }
}

function placed(
  body: { params?: readonly Template[] } | undefined,
  [chainPlace, keyPlace]: readonly [number, number],
  { chainId, apiKey }: { chainId: string; apiKey: string },
): Template[] {
  const params = Array.from({ length: keyPlace + 1 }, (_none, index) => body?.params?.[index] ?? null)
  params[chainPlace] = params[chainPlace] ?? chainId
  params[keyPlace] = apiKey
  return params
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, compared as a whole
type Body = any

async function send(
  { method, path, headers, body }: Sent,
  address = service.paymasterUrl,
): Promise<{ status: number; body: Body }> {
  const answer = await fetch(address + path, {
    ...{ method, headers: { 'content-type': 'application/json', ...headers } },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}

const notFound = { status: 404, body: { error: 'Sponsorship policy not found', code: 'policy_not_found' } }
const notOwn = {
  status: 403,
  body: { error: 'Wallet address does not match for the Api Key', code: 'wrong_wallet' },
}
const noKey = { status: 401, body: { error: 'Api Key is required in header', code: 'api_key_missing' } }
const wrongKey = { status: 401, body: { error: 'Invalid Api Key', code: 'api_key_invalid' } }

/** By whoever has no key, another key, or a key and another's ids; changes nothing of anybody's. */
async function tryAsStranger(row: Row, walker: Walker): Promise<void> {
  const before = [await left(walker), await left(stranger)]
  const request = requestOf(row, 'header', walker)
  const as = (apikey: string) => ({ ...request, headers: { ...request.headers, apikey } })
  expect(await send({ ...request, headers: {} })).toEqual(noKey)
  expect(await send(as('tandem_of_nobody'))).toEqual(wrongKey)
  const own = as(stranger.key.text)
  const said = JSON.stringify([row.path, row.payload])
  if (said.includes('{wallet}')) expect(await send(own)).toEqual(notOwn)
  else if (/\{(policy|newer)/.test(said)) expect(await send(own)).toEqual(notFound)
  const query = `${own.path.includes('?') ? '&' : '?'}walletAddress=${walker.key.wallet}`
  expect(await send({ ...own, path: own.path + query })).toEqual(notOwn)
  expect([await left(walker), await left(stranger)]).toEqual(before)
}

const left = ({ owned }: Walker): Promise<Left> =>
  readLeft({ url: chain.url, directory: home.directory }, owned)

function leavesOf({ leaves = {} }: Row, values: Values): object {
  const filledIn = expected(leaves, values) as { lists?: string[] }
  return filledIn.lists === undefined ? filledIn : { ...filledIn, lists: inOrder(filledIn.lists) }
}

async function inBlock(hash: Hash): Promise<void> {
  while ((await rpc(chain.url, 'eth_getTransactionReceipt', [hash])) === null);
}

function titleOf({ method, path, payload }: Row): string {
  const said = [payload?.method, payload?.name, payload?.params && JSON.stringify(payload.params)]
  return [method, path || '/', ...said.filter((part) => part !== undefined)].join(' ')
}

function walkerOf(form: Form): Walker {
  const walker = walkers.get(form)
  if (walker === undefined) throw new Error('a walker for each form')
  return walker
}
