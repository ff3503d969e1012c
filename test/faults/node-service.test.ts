import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Hash } from 'viem'
import { startAnvil } from '../../src/dev/anvil.ts'
import { call, type WireReceipt } from '../support/client.ts'
import { rpc } from '../support/devChain.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faultyProxy.ts'
import { type Load, type LoadedService, startLoad, untilTold } from '../support/load.ts'

/** Longer than any test takes, since a test that is cut off takes the chain with it. */
const deadline = 60_000

let load: Load
/** Two nodes of one chain, of which the first is preferred. */
let first: FaultyProxy
let second: FaultyProxy
let service: LoadedService

beforeAll(async () => {
  load = await startLoad()
})
afterAll(() => load?.stop())

beforeEach(() => {
  first = startFaultyProxy(load.chain.url)
  second = startFaultyProxy(load.chain.url)
})
afterEach(async () => {
  await service?.stop()
  await first.stop()
  await second.stop()
})

async function serve(nodeUrls = [first.url, second.url], flags: readonly string[] = []): Promise<void> {
  service = await load.serve(nodeUrls, flags)
}

const everyMethod = [
  ...['eth_blockNumber', 'eth_call', 'eth_chainId', 'eth_estimateGas', 'eth_feeHistory', 'eth_gasPrice'],
  ...['eth_getBalance', 'eth_getBlockByHash', 'eth_getBlockByNumber', 'eth_getCode', 'eth_getLogs'],
  ...['eth_getTransactionByHash', 'eth_getTransactionCount', 'eth_getTransactionReceipt'],
  'eth_sendRawTransaction',
]
const state = ['eth_call', 'eth_getCode', 'eth_getBalance']

const faults: readonly [name: string, fault: () => void][] = [
  ['dies in the middle of load', () => (first.mode = 'down')],
  ['does not answer in time', () => (first.mode = 'slow')],
  ['says 429', () => (first.mode = 'rate-limited')],
  ['says 429 with retry-after', () => Object.assign(first, { retryAfter: 60, mode: 'rate-limited' })],
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
    () => first.refuse(state, { code: -32000, message: 'missing trie node 0x11 (path )' }),
  ],
]

for (const [name, fault] of faults) {
  test(
    `a preferred node that ${name}: nothing is lost, nothing refused`,
    async () => {
      await serve()
      const before = await service.wave()
      const during = service.wave()
      fault()
      const after = [await service.wave(), await service.wave()].flat()
      await service.included([...before, ...(await during), ...after])
    },
    deadline,
  )
}

test(
  'the only node fails for a while: nothing is refused for it, and nothing lost',
  async () => {
    await serve([first.url])
    for (const mode of ['down', 'garbage', 'rate-limited', 'wrong-types'] as const) {
      const before = await service.wave()
      const asked = first.nextRequest()
      first.mode = mode
      const during = service.wave(untilTold)
      // One that is down hears nothing.
      if (mode !== 'down') await asked
      first.mode = 'pass'
      await service.included([...before, ...(await during), ...(await service.wave(untilTold))])
    }
  },
  deadline,
)

test(
  'a node of another chain at the address of one that failed is asked for its chain and nothing else',
  async () => {
    const stranger = await startAnvil({ port: 0, chainId: 777, blockTime: undefined, path: undefined })
    try {
      await serve()
      const before = await service.wave()
      first.mode = 'down'
      await service.included([...before, ...(await service.wave())])
      first.calls.clear()
      first.target = stranger.url
      first.mode = 'pass'
      const asked = first.nextRequest()
      await service.included(await service.wave())
      await asked
      await service.included([...(await service.wave()), ...(await service.wave())])
      expect([...first.calls.keys()]).toEqual(['eth_chainId'])
    } finally {
      await stranger.stop()
    }
  },
  deadline,
)

test(
  'a node that is stuck on an old block is left out until it has caught up',
  async () => {
    await serve(undefined, ['--max-node-lag', '300'])
    await service.included(await service.wave())
    first.mode = 'stuck'
    await call(first.url, 'eth_blockNumber')
    await rpc(load.chain.url, 'anvil_mine', [1])
    await service.logLine('node is behind the others')
    await service.included(await service.wave())
    first.mode = 'pass'
    await service.logLine('node has caught up')
    await service.included(await service.wave())
  },
  deadline,
)

test(
  'a node that is behind after a fail-over takes no block back',
  async () => {
    await serve()
    const before = await service.wave()
    await service.included(before)
    second.mode = 'stuck'
    await call(second.url, 'eth_blockNumber')
    await service.included(await service.wave())
    const asked = second.nextRequest()
    first.mode = 'down'
    await asked
    for (const hash of before)
      expect(await call(service.url, 'bundler_getUserOperationStatus', hash)).toMatchObject({
        status: 'included',
      })
    second.mode = 'pass'
    await service.included(await service.wave(untilTold))
    expect(service.log()).not.toContain('"reorg"')
  },
  deadline,
)

test(
  'a WebSocket that is refused costs nothing but the haste',
  async () => {
    first.mode = 'no-sockets'
    await serve([first.webSocketUrl, first.url])
    await service.included([...(await service.wave()), ...(await service.wave())])
  },
  deadline,
)

test(
  'a node that gives few blocks of logs at a time still answers for operations from before the index',
  async () => {
    await serve([first.url])
    const hashes = await service.wave()
    await service.included(hashes)
    await rpc(load.chain.url, 'anvil_mine', [300])
    await service.stop()

    await serve([first.url])
    first.logRange = 50
    for (const hash of hashes)
      expect(await call<WireReceipt | null>(service.url, 'eth_getUserOperationReceipt', hash)).toMatchObject({
        success: true,
      })
    const nowhere: Hash = `0x${'11'.repeat(32)}`
    expect(await call(service.url, 'eth_getUserOperationReceipt', nowhere)).toBeNull()
  },
  deadline,
)

test(
  'a node without old state or logs serves what is new, and passes over what it missed',
  async () => {
    await serve([first.url])
    await service.included(await service.wave())
    const { directory } = service
    await service.kill('SIGTERM')
    await rpc(load.chain.url, 'anvil_mine', [200])
    first.logsFrom = Number(await call(first.url, 'eth_blockNumber')) - 127
    service = await load.serve([first.url], [], directory)
    await service.logLine('block passed over')
    await service.included(await service.wave())
  },
  deadline,
)
