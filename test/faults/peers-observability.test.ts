import { afterAll, beforeAll, expect, test } from 'bun:test'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { fund, signedOperation, simpleAccount } from '../support/accounts.ts'
import { send, watchStates } from '../support/client.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { type FaultyProxy, type ProxyMode, startFaultyProxy } from '../support/faultyProxy.ts'
import { random } from '../support/random.ts'
import { type RunningService, startService } from '../support/service.ts'

const planted = {
  nodeLogin: 'planted-node-login',
  nodePassword: 'planted node password',
  nodePathKey: 'planted0node0path0key',
  nodeQueryKey: 'planted.node.query.key',
  explorerKey: 'planted-explorer-key',
  relayerKey: anvilKeys[1].slice(2),
  callerQueryKey: 'planted-caller-query-key',
  callerHeaderKey: 'planted-caller-header-key',
  callerBearer: 'planted-caller-bearer',
} as const

const entryPoint = entryPoints['0.7'].address
const source = random(21)

let chain: DevChain
let node: FaultyProxy
/** Repeats what it was asked. */
let explorer: Bun.Server<undefined>
let service: RunningService
let op: UserOperation

beforeAll(async () => {
  chain = await startDevChain()
  const account = await simpleAccount(chain, '0.7')
  await fund(chain, account.address)
  op = await signedOperation(chain, account)
  node = startFaultyProxy(chain.url)
  explorer = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => Response.json({ status: '0', message: 'NOTOK', result: `no: ${url}` }),
  })
  const at = (url: string) => {
    const { host, protocol } = new URL(url)
    const login = `${planted.nodeLogin}:${encodeURIComponent(planted.nodePassword)}`
    return `${protocol}//${login}@${host}/v2/${planted.nodePathKey}?key=${planted.nodeQueryKey}`
  }
  service = await startService({
    nodeUrl: [at(node.url), at(node.webSocketUrl)].join(','),
    relayerKeys: [`0x${planted.relayerKey}`],
    flags: [
      ...['--log-level', 'debug'],
      ...['--explorer-url', `${explorer.url}api`, '--explorer-api-key', planted.explorerKey],
    ],
  })
})
afterAll(async () => {
  await service?.stop()
  await node?.stop()
  await explorer?.stop(true)
  await chain?.stop()
})

/** One HTTP request with every secret that a caller may send; the whole answer as text. */
async function post(body: unknown, path = new URL(service.url).pathname): Promise<string> {
  const response = await fetch(`${new URL(service.url).origin}${path}?apiKey=${planted.callerQueryKey}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'x-api-key': planted.callerHeaderKey,
      authorization: `Bearer ${planted.callerBearer}`,
    },
  })
  const headers = JSON.stringify([...response.headers])
  return `${headers}${await response.text()}`
}

const request = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
const metrics = async () => (await fetch(`${service.adminUrl}/metrics`)).text()

/** Calls of every kind: some succeed, some fail, some are nonsense. */
function callsOfEveryKind() {
  const stranger = { ...op, sender: source.address(), factory: undefined, factoryData: '0x' as const }
  const hash = source.bytes(32)
  return [
    request('eth_chainId'),
    request('eth_supportedEntryPoints'),
    request('bundler_config'),
    request('bundler_getGasPrice'),
    request('bundler_feeHistory', entryPoint, 5, 'latest'),
    request('eth_getBalance', source.address(), 'latest'),
    request('eth_call', { to: entryPoint, data: '0x12345678' }, 'latest'),
    request('eth_getLogs', 'nonsense'),
    request('eth_getUserOperationByHash', hash),
    request('eth_getUserOperationReceipt', hash),
    request('bundler_getUserOperationStatus', hash),
    request('eth_sendUserOperation', formatUserOperation(stranger), entryPoint),
    request('eth_estimateUserOperationGas', formatUserOperation(stranger), entryPoint),
    request('bundler_explainUserOperation', formatUserOperation(stranger), entryPoint),
    request(`nonsense_${source.bytes(8)}`, hash),
    { id: {}, method: 7 },
  ]
}

/** The series of the metrics: names with labels, without values. */
const seriesIn = (text: string): Set<string> =>
  new Set(
    text
      .split('\n')
      .flatMap((line) => (line === '' || line.startsWith('#') ? [] : [line.replace(/ \S+$/, '')])),
  )

test('fault 21: the series of the metrics are as many after hundreds of random methods, hashes and senders as before', async () => {
  for (let round = 0; round < 3; round++) await post(callsOfEveryKind())
  // What comes at once is answered otherwise: from what another call is reading, or not at all.
  await Promise.all(Array.from({ length: 25 }, () => post(callsOfEveryKind())))
  // The service asks itself from time to time, which makes series of its own.
  await fetch(`${service.adminUrl}/ready`)
  const before = seriesIn(await metrics())
  for (let round = 0; round < 20; round++)
    await Promise.all(Array.from({ length: 25 }, () => post(callsOfEveryKind())))
  expect([...seriesIn(await metrics()).difference(before)]).toEqual([])
  expect(before.size).toBeGreaterThan(50)
}, 60_000)

test('fault 21: gauges fall again with what they count', async () => {
  const gauge = async () =>
    (await metrics())
      .split('\n')
      .find((line) => line.startsWith('tandem_websockets'))
      ?.split(' ')
      .at(-1)
  const watches = await Promise.all(Array.from({ length: 5 }, () => watchStates(service.url, [op.sender])))
  expect(await gauge()).toBe('5')
  for (const watch of watches) watch.close()
  while ((await gauge()) !== '0');
})

test('fault 21: no secret is in a log, a metric or an answer, whatever succeeds or fails', async () => {
  const answers: string[] = []
  const watch = await watchStates(service.url, [op.sender])
  const hash = await send(service.url, op)
  await watch.all([hash], 'included')
  watch.close()

  const modes: readonly ProxyMode[] = [
    'pass',
    'echo',
    'garbage',
    'down',
    'rate-limited',
    'wrong-types',
    'pass',
  ]
  for (const mode of modes) {
    node.mode = mode
    answers.push(await post(callsOfEveryKind()))
    answers.push(await post('{ not JSON', undefined))
    answers.push(await post(request('eth_chainId'), `/v1/${planted.callerQueryKey}/`))
  }
  for (const path of ['/metrics', '/ready', '/chains'])
    answers.push(await (await fetch(service.adminUrl + path)).text())
  await service.kill('SIGTERM')

  const everything = [...answers, service.log(), service.output()].join('\n')
  for (const [name, secret] of Object.entries(planted)) {
    const forms = [secret, encodeURIComponent(secret), btoa(secret)]
    for (const form of forms) expect(everything.includes(form) ? name : 'no secret').toBe('no secret')
  }
  expect(everything).not.toContain(btoa(`${planted.nodeLogin}:${planted.nodePassword}`))
  // The echo came through, without its secrets.
  expect(everything).toContain(`no: ${node.url}/v2/…?key=…`)
  // What a node said that is no JSON is not repeated at all.
  expect(service.log()).not.toContain('<html>')
  expect(service.log()).toContain('node is left alone')
}, 60_000)
