import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { startFaultyProxy } from '../support/faultyProxy.ts'
import { scratchDirectory, startService, startTandem } from '../support/service.ts'

const relayer = privateKeyToAddress(anvilKeys[1])
let chain: DevChain
let directory: string

beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain.stop())
beforeEach(() => {
  directory = scratchDirectory()
})
afterEach(() => rmSync(directory, { recursive: true }))

async function check(nodeUrl: string, ...flags: string[]) {
  const args = ['check', '--rpc-url', nodeUrl, '--relayer-keys', anvilKeys[1], ...flags]
  const tandem = startTandem(args, directory)
  return { code: await tandem.exited, lines: tandem.output().trimEnd().split('\n') }
}

test('check tells what would be served, and leaves nothing behind', async () => {
  expect(await check(chain.url)).toEqual({
    code: 0,
    lines: [
      'ok      database: ./tandem.db will be made',
      `ok      node ${chain.url}: chain ${chain.chainId}`,
      `ok      chain ${chain.chainId}: no preset`,
      `ok      chain ${chain.chainId}: takes no data fees`,
      `ok      chain ${chain.chainId}: serves EntryPoint 0.8, 0.7, 0.6`,
      `ok      chain ${chain.chainId}: validates in our own EVM (prague), on state that the node traces (debug_traceCall), read by calls with overrides`,
      `ok      node ${chain.url}: traces validation by a script of ours`,
      `ok      relayer ${relayer}: 10000 eth`,
    ],
  })
  expect(readdirSync(directory)).toEqual([])
})

test('check tells the state of the database, and who uses it', async () => {
  const service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory })
  const during = await check(chain.url)
  expect(during.code).toBe(0)
  expect(during.lines[0]).toMatch(
    /^ok {6}database: schema version \d+, 0\.\d MiB, used by process \d+ on \S+, since \S+Z, until \S+Z unless it renews$/,
  )
  await service.kill('SIGTERM')
  const after = await check(chain.url)
  expect(after.lines[0]).toMatch(/^ok {6}database: schema version \d+, 0\.\d MiB, used by nobody$/)
})

test('check tells who tops up the relayers, and how far', async () => {
  const account = privateKeyToAddress(anvilKeys[2])
  const { code, lines } = await check(chain.url, '--funding-key', anvilKeys[2])
  expect(code).toBe(0)
  expect(lines.at(-1)).toBe(
    `ok      funding account ${account}: 10000 eth; tops up relayers below 0.2 eth to 0.4 eth, at most 1 eth a day`,
  )
})

test('check tells what is missing, and fails', async () => {
  await rpc(chain.url, 'anvil_setBalance', [relayer, '0x1'])
  const { code, lines } = await check(chain.url, '--database', 'file:/nowhere/tandem.db')
  expect(code).toBe(1)
  expect(lines[0]).toStartWith('missing database: ')
  expect(lines.at(-1)).toBe(
    `missing relayer ${relayer}: 0.000000000000000001 eth, less than minSignerBalance (0.1 eth)`,
  )
})

test('check tells a node of another chain, and one that is not there', async () => {
  const other = await check(chain.url, '--chain-id', '5')
  expect(other).toMatchObject({ code: 1 })
  expect(other.lines[1]).toBe(`missing node ${chain.url}: is of chain ${chain.chainId}, not 5`)
  const none = await check('http://127.0.0.1:9')
  expect(none.code).toBe(1)
  expect(none.lines[1]).toStartWith('missing node http://127.0.0.1:9: ')
})

const ourEvm = `ok      chain 31337: validates in our own EVM`
test.each([
  [
    ['debug_traceCall'],
    [],
    `${ourEvm} (prague), on state that the node lists (eth_createAccessList), read by calls with overrides`,
  ],
  [
    ['debug_traceCall', 'eth_createAccessList', 'eth_call'],
    ['--hardfork', 'osaka'],
    `${ourEvm} (osaka), on state that is known by need and by experience, read one by one`,
  ],
  [[], ['--validation-engine', 'node'], 'ok      chain 31337: validates at the node'],
])('check tells how the node helps validation: without %p, %p', async (refused, flags, line) => {
  const proxy = startFaultyProxy(chain.url)
  proxy.refuse(refused, { code: -32601, message: 'the method does not exist' })
  const { lines } = await check(proxy.url, ...flags)
  await proxy.stop()
  expect(lines).toContain(line)
})

test.each([
  [['--validation-engine', 'node'], 'missing'],
  [['--validation-engine', 'node', '--lowest-validation', 'basic'], 'ok     '],
  [[], 'ok     '],
])('check tells a node that does not trace, which may be needed: %p', async (flags, mark) => {
  const proxy = startFaultyProxy(chain.url)
  proxy.refuse(['debug_traceCall'], { code: -32601, message: 'the method does not exist' })
  const { lines } = await check(proxy.url, ...flags)
  await proxy.stop()
  expect(lines).toContain(`${mark} node ${proxy.url}: has no tracer for validation`)
})
