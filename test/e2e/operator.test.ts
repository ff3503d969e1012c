import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hash } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { relayer } from '../support/bundles.ts'
import { call, send } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type RunningService, startService } from '../support/service.ts'

/** ms for what starts processes, however busy the machine is */
const patience = 60_000
const entryPoint = entryPoints['0.7'].address

let chain: DevChain
let service: RunningService

beforeAll(async () => {
  chain = await startDevChain()
  service = await startService({
    nodeUrl: chain.url,
    relayerKeys: [anvilKeys[1]],
    flags: ['--poll-interval', '20', '--testing'],
  })
  await call(service.url, 'debug_bundler_setBundlingMode', 'manual')
}, patience)
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

async function operator(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(service.adminUrl + path, { headers })
  return { status: response.status, text: await response.text() }
}
const view = async (path: string) => JSON.parse((await operator(`/chains/31337/${path}`)).text)

test('the operator has a listener of its own, on this machine only', async () => {
  expect(service.adminUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(JSON.parse((await operator('/ready')).text)).toEqual({
    ready: true,
    missing: [],
    chains: [{ chainId: 31337, ready: true, missing: [] }],
  })
  expect((await operator('/metrics')).text).toContain('tandem_head_number{chain="31337"}')
})

test('the public one has no metrics and no views', async () => {
  const publicUrl = new URL(service.url).origin
  const answers = await Promise.all(['/metrics', '/chains'].map((path) => fetch(publicUrl + path)))
  expect(answers.map(({ status }) => status)).toEqual([404, 404])
})

test('a page whose host name was pointed at this machine gets nothing', async () => {
  const { status } = await operator('/metrics', { host: `rebound.example:${new URL(service.adminUrl).port}` })
  expect(status).toBe(403)
})

test('an operation is seen waiting, then with its transaction under way, then no more', async () => {
  const [account] = await fleet(chain, '0.7', 1)
  if (account === undefined) throw new Error('no account')
  const op = await operation(chain, account, { maxFeePerGas: 10n ** 11n })
  const hash = await send(service.url, op)

  const waiting = await view('pool')
  expect(waiting).toMatchObject({
    total: 1,
    byState: { queued: 0, pending: 1, bundled: 0, submitted: 0 },
    byEntryPoint: { [entryPoint]: 1 },
    entries: [
      { hash, sender: account.address, nonce: '0x0', maxFeePerGas: '100000000000', state: 'pending' },
    ],
  })
  expect(waiting.oldestAge).toBe(waiting.entries[0].age)
  expect(await view('pool?offset=1')).toMatchObject({ total: 1, offset: 1, entries: [] })

  const balance = BigInt(await rpc<string>(chain.url, 'eth_getBalance', [relayer.address, 'latest']))
  await rpc(chain.url, 'evm_setAutomine', [false])
  const mined = call<Hash>(service.url, 'debug_bundler_sendBundleNow')
  let relayers = await view('relayers')
  while (relayers.relayers[0].open.length === 0) relayers = await view('relayers')
  expect(relayers).toMatchObject({
    relayers: [
      {
        ...{ address: relayer.address, state: 'busy', balance: balance.toString() },
        open: [{ state: 'pending', operations: 1, versions: [{ kind: 'bundle' }] }],
      },
    ],
  })
  await rpc(chain.url, 'evm_mine')
  await rpc(chain.url, 'evm_setAutomine', [true])
  const [{ open, nextNonce }] = relayers.relayers
  expect(nextNonce).toBe(open[0].nonce + 1)
  expect(open[0].versions[0].hash).toBe(await mined)
  expect(await view('pool')).toMatchObject({ total: 0, oldestAge: null, entries: [] })
  expect(await view('reputation')).toEqual({ entities: expect.any(Array) })
})
