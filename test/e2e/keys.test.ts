import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { call } from '../support/client.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { scratchDirectory, startService, startTandem } from '../support/service.ts'

const masterKey = 'ab'.repeat(32)

let chain: DevChain
let directory: string

beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain?.stop())
beforeEach(() => {
  directory = scratchDirectory()
  writeFileSync(join(directory, 'master.key'), `${masterKey}\n`)
})
afterEach(() => rmSync(directory, { recursive: true }))

async function keys(...args: string[]) {
  const tandem = startTandem(['keys', ...args], directory)
  return { code: await tandem.exited, output: tandem.output(), errors: tandem.log() }
}
const withMaster = ['--master-key', '@master.key']
const create = (name: string, ...flags: string[]) => keys('create', '--name', name, ...withMaster, ...flags)
const list = async () => (await keys('list', ...withMaster)).output.split('\n').slice(0, -1)
const textIn = (output: string): string => /^tandem_[\w-]+$/m.exec(output)?.[0] ?? ''
const idIn = (output: string): string => output.split(' ')[0] ?? ''

test('a key is made beside a running service, and shown once', async () => {
  const service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory })
  const made = await create('Ann', '--credits-per-month', '1000', '--credits-per-second=10')
  expect(made).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^[0-9a-f]{16} {2}tandem_.{4}… {2}valid {2}wallet 0x[0-9a-fA-F]{40} {2}read,sponsor,admin {2}credits 1000 a month, 10 a second {2}created \S+Z {2}Ann\ntandem_[\w-]{43}\n$/,
    ),
    errors: 'tandem: this is the only time that the key is shown\n',
  })
  expect(await list()).toEqual([made.output.split('\n')[0] ?? ''])
  expect(await call<string>(service.url, 'eth_chainId')).toBe(`0x${chain.chainId.toString(16)}`)

  const text = textIn(made.output)
  expect(text).not.toBe('')
  for (const file of readdirSync(directory))
    expect(readFileSync(join(directory, file)).includes(text)).toBe(false)
  expect(await service.kill('SIGTERM')).toBe(0)
})

const serve = (...flags: string[]) =>
  startService({
    ...{ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory },
    flags: ['--master-key', '@master.key', '--native-price', '2500', ...flags],
  })

/** A call that costs 5 credits and needs nothing on chain. */
const askWhitelist = (service: { paymasterUrl: string }, apikey: string) =>
  fetch(`${service.paymasterUrl}/getAllWhitelist/v2`, {
    ...{ method: 'POST', headers: { apikey }, body: JSON.stringify({ params: [] }) },
  })

test('what is changed beside a running service counts at once', async () => {
  const service = await serve()
  const ask = async (key: string) => {
    const answer = await askWhitelist(service, key)
    return { status: answer.status, body: await answer.json() }
  }
  const answered = { status: 200, body: { addresses: [] } }
  const refused = { status: 401, body: { error: 'Invalid Api Key', code: 'api_key_invalid' } }
  const made = await create('Ann')
  const text = textIn(made.output)
  expect(await ask(text)).toEqual(answered)

  const rotated = await keys('rotate', idIn(made.output), ...withMaster)
  expect(await ask(text)).toEqual(refused)
  expect(await ask(textIn(rotated.output))).toEqual(answered)

  await keys('revoke', idIn(rotated.output), ...withMaster)
  expect(await ask(textIn(rotated.output))).toEqual(refused)
  expect(await service.kill('SIGTERM')).toBe(0)
})

test('credits outlive a restart', async () => {
  const text = textIn((await create('Ann', '--credits-per-month', '12')).output)
  const read = async (service: { paymasterUrl: string }) => {
    const { status, headers } = await askWhitelist(service, text)
    return [status, headers.get('x-credits-remaining')]
  }
  const first = await serve()
  expect(await read(first)).toEqual([200, '7'])
  await first.kill('SIGTERM')
  const second = await serve()
  expect(await read(second)).toEqual([200, '2'])
  expect((await read(second))[0]).toBe(429)
  await second.kill('SIGTERM')
})

test('keys are made at the same time, beside a service that stores', async () => {
  const service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory })
  const made = await Promise.all(
    ['Ann', 'Bob', 'Cid'].map((name) => create(name, '--scopes', 'read,sponsor')),
  )
  expect(made.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(new Set((await list()).map(idIn))).toEqual(new Set(made.map(({ output }) => idIn(output))))
  expect(await service.kill('SIGTERM')).toBe(0)
})

test('a rotated key has the same owner, wallet and terms; the old one is revoked', async () => {
  const old = await create('Ann', '--scopes', 'sponsor', '--credits-per-month', '5')
  const rotated = await keys('rotate', idIn(old.output), ...withMaster)
  expect(rotated.code).toBe(0)
  expect(textIn(rotated.output)).not.toBe(textIn(old.output))
  const [first = '', second = ''] = await list()
  expect(first).toMatch(/ {2}revoked \S+Z {2}/)
  expect(second).toBe(rotated.output.split('\n')[0] ?? '')
  const terms = (line: string) => /wallet .*second/.exec(line)?.[0]
  expect(terms(second)).toBe(terms(first))
})

test('a revoked key is listed as such, and not revoked again', async () => {
  const id = idIn((await create('Ann')).output)
  const revoke = () => keys('revoke', id, ...withMaster)
  expect(await revoke()).toEqual({ code: 0, output: `tandem: ${id} is revoked\n`, errors: '' })
  expect((await list())[0]).toMatch(/ {2}revoked \S+Z {2}/)
  expect(await revoke()).toEqual({
    code: 1,
    output: '',
    errors: `tandem: The key ${id} is revoked already\n`,
  })
})

test('each change leaves an entry in the audit log', async () => {
  const id = idIn((await create('Ann')).output)
  const rotated = idIn((await keys('rotate', id, ...withMaster)).output)
  const database = new Database(join(directory, 'tandem.db'), { readonly: true })
  const entries = database.query('select action, subject, key_id from audit order by id').all()
  database.close()
  expect(entries).toEqual([
    { action: 'tenant.add', subject: expect.any(String), key_id: null },
    { action: 'key.add', subject: id, key_id: null },
    { action: 'key.add', subject: rotated, key_id: null },
    { action: 'key.revoke', subject: id, key_id: null },
  ])
})

test('another master key opens nothing, and makes no keys', async () => {
  await create('Ann')
  for (const args of [['list'], ['create', '--name', 'Bob']]) {
    const { code, output, errors } = await keys(...args, '--master-key', 'cd'.repeat(32))
    expect([code, output]).toEqual([1, ''])
    expect(errors).toMatch(/^tandem: the master key does not open the wallet 0x[0-9a-fA-F]{40}$/m)
  }
  expect(await list()).toHaveLength(1)
})

test.each([
  [[], 'keys needs one of: create, list, rotate, revoke'],
  [['delete'], 'delete is not one of keys'],
  [['lst'], 'lst is not one of keys: did you mean list?'],
  [['rotate', '--master-key', '@master.key'], 'keys rotate needs the id of a key: keys list shows them'],
  [['list'], 'masterKey is missing: give --master-key, TANDEM_MASTER_KEY, or masterKey in the file'],
  [['list', '--master-key', '@nowhere'], '--master-key: the file that it names cannot be read'],
  [['create', ...withMaster], 'name is missing: give --name, TANDEM_NAME, or name in the file'],
  [
    ['create', '--name', 'Ann', '--scopes', 'read,write', ...withMaster],
    '--scopes (entry 2): must be a list of: read, sponsor, admin',
  ],
  [
    ['create', '--name', 'Ann', '--credits-per-month', '0', ...withMaster],
    '--credits-per-month: must be an integer of at least 1',
  ],
])('%j is refused in one line', async (args, problem) => {
  const { code, output, errors } = await keys(...args)
  expect([code, output]).toEqual([2, ''])
  expect(errors).toBe(`tandem: ${problem}\n`)
})

test('a key that is not there is told in one line', async () => {
  expect(await keys('rotate', 'nope', ...withMaster)).toEqual({
    code: 1,
    output: '',
    errors: 'tandem: There is no key nope\n',
  })
})
