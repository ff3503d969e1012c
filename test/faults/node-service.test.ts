import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Hash } from 'viem'
import { type Anvil, anvilKeys, startAnvil } from '../../src/dev/anvil.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, RpcError, type StateWatch, send, type WireReceipt, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faultyProxy.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type RunningService, startService } from '../support/service.ts'

const senders = 6

let chain: DevChain
let accounts: TestAccount[]
/** Of every account: each wave uses it up for all of them. */
let nonce = 0n
let first: FaultyProxy
let second: FaultyProxy
let service: RunningService | undefined
let watch: StateWatch | undefined

beforeAll(async () => {
  chain = await startDevChain()
  accounts = await fleet(chain, '0.7', senders)
})
afterAll(() => chain?.stop())

afterEach(async () => {
  watch?.close()
  await service?.stop()
  service = undefined
  await first?.stop()
  await second?.stop()
})

/** Two nodes of one chain, of which the first is preferred, and a service before them. */
async function serve(flags: readonly string[] = [], urls = () => [first.url, second.url]): Promise<void> {
  first = startFaultyProxy(chain.url)
  second = startFaultyProxy(chain.url)
  service = await startService({
    nodeUrl: urls().join(','),
    relayerKeys: [anvilKeys[1], anvilKeys[2]],
    flags: ['--node-timeout', '1000', '--log-level', 'debug', ...flags],
  })
  watch = await watchStates(
    service.url,
    accounts.map((account) => account.address),
  )
}

const url = (): string => service?.url ?? ''

/** One operation of every account, sent at once; the hashes, when all are accepted. */
async function wave(sendOne: typeof send = send): Promise<Hash[]> {
  const at = nonce++
  const ops = await Promise.all(accounts.map((account) => operation(chain, account, { nonce: at })))
  return Promise.all(ops.map((op) => sendOne(url(), op)))
}

/** Sends until somebody can tell: trouble of our own (-32603) is no answer about the operation. */
const untilTold: typeof send = async (to, op) => {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      return await send(to, op)
    } catch (error) {
      if (!(error instanceof RpcError) || error.error.code !== -32603) throw error
    }
  }
  throw new Error('nobody could tell')
}

/** Every operation is in a block, successful, and once. */
async function expectIncluded(hashes: readonly Hash[]): Promise<void> {
  await watch?.all(hashes, 'included')
  const receipts = await Promise.all(
    hashes.map((hash) => call<WireReceipt | null>(url(), 'eth_getUserOperationReceipt', hash)),
  )
  for (const receipt of receipts) expect(receipt).toMatchObject({ success: true, receipt: { status: '0x1' } })
  const logs = await rpc<{ topics: Hash[] }[]>(chain.url, 'eth_getLogs', [
    { fromBlock: '0x0', topics: [null, hashes] },
  ])
  expect(logs.map((log) => log.topics[1]).sort()).toEqual(hashes.toSorted())
}

/** Loads the service before, during and after `fault`: everything is accepted at once and included. */
async function loadThrough(fault: () => Promise<void> | void): Promise<void> {
  const before = await wave()
  const during = wave()
  await fault()
  await expectIncluded([...before, ...(await during), ...(await wave()), ...(await wave())])
}

const faults: readonly [name: string, fault: () => void][] = [
  ['dies in the middle of load', () => (first.mode = 'down')],
  ['does not answer in time', () => (first.mode = 'slow')],
  ['says 429', () => (first.mode = 'rate-limited')],
  [
    'says 429 with retry-after',
    () => {
      first.retryAfter = 60
      first.mode = 'rate-limited'
    },
  ],
  ['says 503', () => (first.mode = 'unavailable')],
  ['answers every batch with -32005', () => (first.mode = 'over-limit')],
  [
    'answers every call with -32016',
    () => first.refuse(everyMethod, { code: -32016, message: 'over rate limit' }),
  ],
  ['answers every call with an internal error', () => first.refuse(everyMethod)],
  ['answers HTML', () => (first.mode = 'garbage')],
  ['answers half of its JSON', () => (first.mode = 'truncated')],
  ['answers with ids of other requests', () => (first.mode = 'wrong-id')],
  ['leaves the last call of each batch out', () => (first.mode = 'drop-one')],
  ['answers values of other types', () => (first.mode = 'wrong-types')],
  ['does not know the newest block', () => (first.mode = 'unknown-block')],
  [
    'has no state of the newest block',
    () =>
      first.refuse(['eth_call', 'eth_getCode', 'eth_getBalance'], {
        code: -32000,
        message: 'missing trie node 0x11 (path )',
      }),
  ],
]
const everyMethod = [
  ...['eth_blockNumber', 'eth_call', 'eth_chainId', 'eth_estimateGas', 'eth_feeHistory', 'eth_gasPrice'],
  ...['eth_getBalance', 'eth_getBlockByHash', 'eth_getBlockByNumber', 'eth_getCode', 'eth_getLogs'],
  ...['eth_getTransactionByHash', 'eth_getTransactionCount', 'eth_getTransactionReceipt'],
  'eth_sendRawTransaction',
]

for (const [name, fault] of faults) {
  test(`a preferred node that ${name}: nothing is lost, nothing refused`, async () => {
    await serve()
    await loadThrough(fault)
  }, 60_000)
}

test('a node of another chain at the address of one that failed is asked for its chain and nothing else', async () => {
  const stranger: Anvil = await startAnvil({ port: 0, chainId: 777, blockTime: undefined, path: undefined })
  try {
    await serve()
    const before = await wave()
    first.mode = 'down'
    const during = await wave()
    await expectIncluded([...before, ...during])
    first.calls.clear()
    first.target = stranger.url
    first.mode = 'pass'
    const asked = first.nextRequest()
    await expectIncluded(await wave())
    await asked
    await expectIncluded([...(await wave()), ...(await wave())])
    expect([...first.calls.keys()]).toEqual(['eth_chainId'])
  } finally {
    await stranger.stop()
  }
}, 60_000)

test('a node that is stuck on an old block is left out until it has caught up', async () => {
  await serve(['--max-node-lag', '300'])
  await expectIncluded(await wave())
  first.mode = 'stuck'
  const left = service?.line('node is behind the others')
  await rpc(chain.url, 'anvil_mine', [1])
  await Promise.race([left, poke()])
  // Pinned to a block that the stuck node has not: without the others it could not be told.
  await expectIncluded(await wave())
  first.mode = 'pass'
  await Promise.race([service?.line('node has caught up'), poke()])
  await expectIncluded(await wave())
}, 60_000)

/** Keeps the service asking its nodes; never resolves. */
async function poke(): Promise<never> {
  for (;;) await call(url(), 'bundler_getGasPrice')
}

test('a node that is behind after a fail-over takes no block back', async () => {
  await serve()
  const before = await wave()
  await expectIncluded(before)
  second.mode = 'stuck'
  await call(second.url, 'eth_blockNumber')
  await expectIncluded(await wave())
  first.mode = 'down'
  const asked = second.nextRequest()
  await asked
  for (const hash of before)
    expect(await call<{ status: string }>(url(), 'bundler_getUserOperationStatus', hash)).toMatchObject({
      status: 'included',
    })
  second.mode = 'pass'
  await expectIncluded(await wave(untilTold))
  expect(service?.log()).not.toContain('"reorg"')
}, 60_000)

test('one address with two nodes behind it, of which one is behind: what is asked is told all the same', async () => {
  await serve([], () => [first.url])
  await loadThrough(() => {
    first.mode = 'half-behind'
  })
}, 60_000)

test('the only node fails for a while: nothing is refused for it, and nothing lost', async () => {
  await serve([], () => [first.url])
  for (const mode of ['down', 'garbage', 'rate-limited'] as const) {
    const before = await wave()
    const during = wave(untilTold)
    first.mode = mode
    await first.nextRequest
    first.mode = 'pass'
    await expectIncluded([...before, ...(await during), ...(await wave(untilTold))])
  }
}, 60_000)

test('a WebSocket that dies silently costs no block: polling goes on, and it is opened anew', async () => {
  await serve([], () => [first.webSocketUrl, first.url])
  first.mode = 'silent-sockets'
  const reopened = first.nextSocket()
  const hashes: Hash[] = []
  while ((await Promise.race([reopened.then(() => true), expectWave()])) !== true);
  expect(hashes.length).toBeGreaterThanOrEqual(0)
  first.mode = 'pass'
  await expectIncluded(await wave())

  async function expectWave(): Promise<false> {
    const sent = await wave()
    hashes.push(...sent)
    await expectIncluded(sent)
    return false
  }
}, 60_000)

test('a WebSocket that is refused costs nothing but the haste', async () => {
  await serve([], () => [first.webSocketUrl, first.url])
  first.mode = 'no-sockets'
  await expectIncluded([...(await wave()), ...(await wave())])
}, 60_000)

test('a node that gives few blocks of logs at a time still answers for operations of before our time', async () => {
  await serve([], () => [first.url])
  const hashes = await wave()
  await expectIncluded(hashes)
  await rpc(chain.url, 'anvil_mine', [300])
  watch?.close()
  await service?.stop()
  await first.stop()
  await second.stop()

  await serve([], () => [first.url])
  first.logRange = 50
  for (const hash of hashes) {
    expect(await call<WireReceipt | null>(url(), 'eth_getUserOperationReceipt', hash)).toMatchObject({
      success: true,
    })
  }
  expect(await call(url(), 'eth_getUserOperationReceipt', `0x${'11'.repeat(32)}`)).toBeNull()
}, 60_000)
