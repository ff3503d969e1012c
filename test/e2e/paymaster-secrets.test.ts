import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, type Hex, numberToHex } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { createWalletCipher } from '../../src/paymaster/tenants/wallet-cipher.ts'
import { connectBeside } from '../../src/store/client.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import { sign, type TestAccount } from '../support/accounts.ts'
import { send, watchStates } from '../support/client.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { type FaultyProxy, type ProxyMode, startFaultyProxy } from '../support/faultyProxy.ts'
import { fleet, operation } from '../support/fleet.ts'
import {
  addressOf,
  masterKey,
  ownPaymaster,
  type PaymasterHome,
  paymasterHome,
  paymasterKey,
  sponsor,
  type TestKey,
} from '../support/paymasterService.ts'
import { type RunningService, startService, startTandem } from '../support/service.ts'

/** Every secret that the service is given, but for those that it makes itself. */
const planted = {
  masterKey,
  paymasterKey: paymasterKey.slice(2),
  relayerKey: anvilKeys[2].slice(2),
  fundingKey: anvilKeys[3].slice(2),
  nodeLogin: 'node-login-5f1c',
  nodePassword: 'node-password-81ab',
  nodePath: 'node-path-c20e',
  nodeQuery: 'node-query-90d3',
  pricePath: 'price-path-77aa',
  priceQuery: 'price-query-12fe',
  webhookPath: 'webhook-path-ee01',
  webhookSecret: 'webhook-secret-4b4b',
  explorerKey: 'explorer-key-31c9',
  wrongApiKey: 'tandem_wrong-api-key-66d0',
}

let chain: DevChain
let node: FaultyProxy
let prices: { url: string; isDown: boolean; stop(): Promise<void> }
let home: PaymasterHome
let service: RunningService
let account: TestAccount
let ann: TestKey
let revoked: TestKey
let rotated: readonly [before: string, after: string]
/** Of every call, whatever came of it. */
const answers: string[] = []
const logs: string[] = []

beforeAll(async () => {
  chain = await startDevChain()
  const [first] = await fleet(chain, '0.7', 1)
  if (first === undefined) throw new Error('an account')
  account = first
  home = await paymasterHome(chain)
  node = startFaultyProxy(chain.url)
  prices = startPrices()
  service = await serve()
  ;[ann, revoked] = [await home.createKey('Ann'), await home.createKey('Gone')]
  const rotating = await home.createKey('Bob')
  rotated = [rotating.text, /^tandem_[\w-]+$/m.exec(await keys('rotate', await idOf('Bob')))?.[0] ?? '']
  await keys('revoke', await idOf('Gone'))
}, 60_000)
afterAll(async () => {
  await service?.kill('SIGKILL')
  await node?.stop()
  await prices?.stop()
  home?.remove()
  await chain?.stop()
})

/** A source of prices that repeats how it was asked when it fails. */
function startPrices() {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) =>
      prices.isDown ? new Response(request.url, { status: 500 }) : Response.json({ coin: { usd: 2500 } }),
  })
  return { url: `127.0.0.1:${server.port}`, isDown: false, stop: () => server.stop(true) }
}

function serve(): Promise<RunningService> {
  const price = (id: string) => ({
    ...{ http: `http://${prices.url}/${planted.pricePath}/?key=${planted.priceQuery}`, id, maxAge: 1 },
  })
  const settings = {
    relayerKeys: [anvilKeys[2]],
    paymasterKey: '@paymaster.key',
    nativePrice: price('coin'),
    tokens: home.money.tokens.map((token) => ({ ...token, price: price('coin'), onChainFeed: false })),
    fundingKey: anvilKeys[3],
  }
  writeFileSync(join(home.directory, 'secrets.json'), JSON.stringify(settings))
  const login = `${planted.nodeLogin}:${planted.nodePassword}@`
  const path = `/${planted.nodePath}?key=${planted.nodeQuery}`
  return startService({
    nodeUrl: node.url.replace('//', `//${login}`) + path,
    relayerKeys: [anvilKeys[2]],
    directory: home.directory,
    flags: [
      ...['--config', 'secrets.json', '--master-key', '@master.key', '--log-level', 'debug'],
      ...['--webhook-url', `http://127.0.0.1:1/${planted.webhookPath}`],
      ...['--webhook-secret', planted.webhookSecret],
      ...['--explorer-url', `http://${prices.url}/`, '--explorer-api-key', planted.explorerKey],
    ],
  })
}

async function keys(...args: string[]): Promise<string> {
  const command = startTandem(['keys', ...args, '--master-key', '@master.key'], home.directory)
  if ((await command.exited) !== 0) throw new Error(command.log())
  logs.push(command.log())
  return command.output()
}
const idOf = async (name: string): Promise<string> =>
  (await keys('list'))
    .split('\n')
    .find((line) => line.includes(name))
    ?.match(/\b[0-9a-f]{16}\b/)?.[0] ?? ''

async function note(answer: Promise<Response>): Promise<void> {
  answers.push(
    await answer.then(
      async (response) => `${await response.text()} ${JSON.stringify([...response.headers])}`,
      (error) => String(error),
    ),
  )
}

/** A key where it belongs, in each of the places for it, and where it does not and is not repeated by contract. */
async function everyCall(key: string): Promise<void> {
  const op = formatUserOperation(await operation(chain, account, { nonce: 1n << 90n }))
  const entryPoint = entryPoints['0.7'].address
  const chainId = numberToHex(chain.chainId)
  const context = { mode: 'sponsor' }
  const json = (method: string, ...params: unknown[]) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const bodies = [
    json('pm_getPaymasterStubData', op, entryPoint, chainId, context),
    json('pm_getPaymasterData', op, entryPoint, chainId, context),
    json('pm_sponsorUserOperation', op, entryPoint, context, chain.chainId, key),
    json('pm_getERC20TokenQuotes', op, entryPoint, key),
    json('pm_getPaymasterData', op, entryPoint, chainId, { mode: 'commonerc20', token: key }),
    json('pm_getPaymasterData', op, entryPoint, chainId, { token: home.money.tokens[0].address }),
    json('pm_getPaymasterData', op, key, chainId, { mode: key }),
    json('pm_getPaymasterData', { ...op, sender: planted.masterKey }, entryPoint),
    json('pm_unknown', key),
    `{ not JSON ${key}`,
  ]
  const { paymasterUrl, url } = service
  const query = `?apiKey=${key}&chainId=${chain.chainId}&useVp=true`
  for (const body of bodies)
    for (const address of [paymasterUrl + query, url + query, `${url}?apiKey=${key}&useVp=${key}`])
      await note(fetch(address, { method: 'POST', body }))
  const wallet = ann.wallet
  const rests: [path: string, body?: object | string][] = [
    ['/policy'],
    ['/metadata'],
    [`/nothing/${key}`],
    ['/addPolicy', { name: 'one', walletAddress: wallet }],
    ['/addPolicy', { name: key, globalMaximumUsd: key }],
    ['/deposit/v2', { params: [key] }],
    ['/whitelist/v2', { params: [[key]], apiKey: key }],
    ['/deployVerifyingPaymaster', { params: ['EPV_07', chain.chainId, key] }],
    ['/checkWhitelist/v2', `{ not JSON ${key}`],
  ]
  for (const [path, body] of rests)
    for (const header of ['apikey', 'x-api-key'])
      await note(
        fetch(`${paymasterUrl}${path}${path === '/policy' ? `?apiKey=${key}` : ''}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { [header]: key },
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      )
}

test('no secret is in the database, a log, an answer or a metric, whatever succeeds or fails', async () => {
  await ownPaymaster(service, ann, '0.7', [account.address])
  const op = await sponsor(addressOf(service, ann, chain, true), {
    ...(await operation(chain, account, { callGasLimit: 0n, verificationGasLimit: 0n })),
  })
  const watch = await watchStates(`${service.url}?apiKey=${ann.text}`, [account.address])
  await watch.all([await send(service.url, await sign(chain, account, op))], 'included')
  watch.close()

  const wallets = await walletKeys()
  const apiKeys = { ann: ann.text, revoked: revoked.text, before: rotated[0], after: rotated[1] }
  for (const key of [...Object.values(apiKeys), planted.wrongApiKey]) await everyCall(key)
  const modes: readonly ProxyMode[] = ['echo', 'garbage', 'down', 'wrong-types', 'rate-limited', 'pass']
  for (const mode of modes) {
    node.mode = mode
    await everyCall(ann.text)
  }
  prices.isDown = true
  await everyCall(ann.text)
  const views = [
    '/metrics',
    '/ready',
    '/chains',
    ...['pool', 'relayers', 'paymasters', 'reputation'].map((view) => `/chains/${chain.chainId}/${view}`),
  ]
  for (const view of views) await note(fetch(service.adminUrl + view))
  // As it is while the service runs, and as it is left.
  const stored = databaseFiles()
  await service.kill('SIGTERM')
  stored.push(...databaseFiles())
  logs.push(service.log(), service.output())

  const secrets: Record<string, string> = { ...planted, ...apiKeys }
  wallets.forEach((key, index) => {
    secrets[`wallet ${index}`] = key.slice(2)
  })
  expect(Object.values(secrets).filter((secret) => secret.length < 12)).toEqual([])
  const told = Buffer.from([...answers, ...logs].join('\n'))
  const leaks = Object.entries(secrets).flatMap(([name, secret]) => {
    const bytes = /^[0-9a-f]{64}$/.test(secret) ? [Buffer.from(secret, 'hex')] : []
    const texts = [secret, secret.toUpperCase(), btoa(secret), encodeURIComponent(secret)]
    const forms = [...texts.map((text) => Buffer.from(text)), ...bytes]
    return [told, ...stored].some((place) => forms.some((form) => place.includes(form))) ? [name] : []
  })
  expect(leaks).toEqual([])
  const login = btoa(`${planted.nodeLogin}:${planted.nodePassword}`)
  expect(told.includes(login)).toBe(false)

  // What was searched is what it should be: hints of the keys, echoes of the node, debug lines.
  expect(stored.some((place) => place.includes(ann.text.slice(0, 'tandem_'.length + 4)))).toBe(true)
  expect(told.includes('"level":"debug"')).toBe(true)
  expect(told.includes('operation sponsored')).toBe(true)
  expect(told.includes('tandem_paymaster_refusals_total')).toBe(true)
  expect(told.includes(`no: ${node.url}/…`)).toBe(true)
  expect(answers.length).toBeGreaterThan(500)
}, 60_000)

const databaseFiles = (): Buffer[] =>
  readdirSync(home.directory)
    .filter((name) => name.startsWith('tandem.db'))
    .map((name) => readFileSync(join(home.directory, name)))

/** Which the service made itself. */
async function walletKeys(): Promise<Hex[]> {
  const url = `file:${join(home.directory, 'tandem.db')}`
  const database = await connectBeside({ url, authToken: undefined })
  const { rows } = await database.execute('select wallet_address, encrypted_key from tenants')
  database.close()
  const cipher = createWalletCipher(`0x${masterKey}`)
  expect(rows).toHaveLength(3)
  return rows.map((row) => cipher.decrypt(row.encrypted_key as Hex, row.wallet_address as Address))
}
