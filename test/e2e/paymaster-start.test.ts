import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { scratchDirectory, startService, startTandem } from '../support/service.ts'

let chain: DevChain
let directory: string
const [masterKey, other] = ['ab'.repeat(32), 'cd'.repeat(32)]

beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain?.stop())
beforeEach(() => {
  directory = scratchDirectory()
  writeFileSync(join(directory, 'master.key'), masterKey)
  writeFileSync(join(directory, 'other.key'), other)
})
afterEach(() => rmSync(directory, { recursive: true }))

const serve = (...flags: string[]) =>
  startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory, flags })
const withPaymaster = ['--master-key', '@master.key', '--native-price', '2500']

async function createKey(): Promise<string> {
  const args = ['keys', 'create', '--name', 'Ann', '--master-key', '@master.key']
  const tandem = startTandem(args, directory)
  expect(await tandem.exited).toBe(0)
  return /^tandem_\S+$/m.exec(tandem.output())?.[0] ?? ''
}

async function refusal(...flags: string[]) {
  const args = ['serve', '--rpc-url', chain.url, '--relayer-keys', anvilKeys[1], '--port', '0']
  const tandem = startTandem([...args, '--admin-port', '0', ...flags], directory)
  const code = await tandem.exited
  const [line = ''] = tandem
    .log()
    .split('\n')
    .filter((text) => /^tandem: (?!warning)/.test(text))
  return { code, line }
}

test('a paymaster that is configured is not served without a master key', async () => {
  expect(await refusal('--paymaster-key', anvilKeys[3])).toEqual({
    code: 2,
    line: 'tandem: chains[0]: masterKey is missing: paymasterKey needs it',
  })
})

test('nor is one with another master key than that of the wallets', async () => {
  await createKey()
  const { code, line } = await refusal('--master-key', '@other.key', '--native-price', '2500')
  expect(code).toBe(1)
  expect(line).toMatch(/^tandem: the master key does not open the wallet 0x[0-9a-fA-F]{40}$/)
})

test('without a master key a database with API keys draws a warning', async () => {
  await createKey()
  const service = await serve()
  expect(await service.logLine('masterKey')).toContain(
    'the database has API keys, but there is no masterKey: the paymaster is off',
  )
  expect(await service.kill('SIGTERM')).toBe(0)
})

test("what of the operator's paymasters is not on the chain is told", async () => {
  const service = await serve(...withPaymaster, '--paymaster-key', anvilKeys[3])
  expect(await service.logLine('shared sponsor paymaster of EntryPoint 0.6')).toContain(
    'not deployed: run tandem paymaster deploy',
  )
  expect(service.log()).not.toContain('token paymaster')
  expect(await service.kill('SIGTERM')).toBe(0)
})

test('what is deployed beside a running service is served without a restart', async () => {
  const key = await createKey()
  const service = await serve(...withPaymaster, '--paymaster-key', anvilKeys[3])
  const addresses = async () => {
    const answer = await fetch(`${service.paymasterUrl}/getAllWhitelist`, {
      method: 'POST',
      headers: { apikey: key },
    })
    return answer.json()
  }
  expect(await addresses()).toMatchObject({ code: 'no_global_paymaster' })
  const deploy = ['paymaster', 'deploy', '--rpc-url', chain.url, '--paymaster-key', anvilKeys[3]]
  expect(await startTandem(deploy, directory).exited).toBe(0)
  await service.logLine('paymaster found')
  expect(await addresses()).toEqual({ addresses: [] })
  expect(await service.kill('SIGTERM')).toBe(0)
})

test('the ledger follows the chain, and goes on after a restart', async () => {
  const position = () => {
    const database = new Database(join(directory, 'tandem.db'), { readonly: true })
    const row = database.query('select number from ledger_positions').get() as { number: number } | null
    database.close()
    return row?.number ?? -1
  }
  const first = await serve(...withPaymaster)
  await first.kill('SIGTERM')
  const before = position()
  expect(before).toBe(Number(await rpc<string>(chain.url, 'eth_blockNumber')))
  await rpc(chain.url, 'anvil_mine', ['0x5'])
  const second = await serve(...withPaymaster)
  await second.kill('SIGTERM')
  expect(position()).toBe(before + 5)
})

test('the paymaster is at /paymaster, or at the root of a host or a port of its own', async () => {
  const flags = ['--paymaster-hosts', 'pay.example', '--paymaster-port', '0', '--require-api-key']
  const service = await serve(...withPaymaster, ...flags)
  const origin = new URL(service.url).origin
  expect(new URL(service.paymasterUrl).pathname).toBe('/')
  expect(new URL(service.paymasterUrl).origin).not.toBe(origin)
  const answers = await Promise.all([
    fetch(`${origin}/paymaster/policy`),
    fetch(`${origin}/policy`, { headers: { host: 'pay.example' } }),
    fetch(new URL('/policy', service.paymasterUrl)),
  ])
  const bodies = await Promise.all(answers.map((answer) => answer.json()))
  const missing = { error: 'Api Key is required in header', code: 'api_key_missing' }
  expect(bodies).toEqual([missing, missing, missing])
  const request = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }) }
  expect(await (await fetch(service.url, request)).json()).toMatchObject({ error: { code: -32001 } })
  expect(await service.kill('SIGTERM')).toBe(0)
})
