import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Unavailable } from '../../src/base/errors.ts'
import { createNodeClient, detectChainId, type NodeClientOptions } from '../../src/chain/client.ts'
import { NodeError } from '../../src/chain/node-error.ts'
import { type Anvil, startAnvil } from '../../src/dev/anvil.ts'
import type { BlockRef } from '../../src/types/block.ts'
import type { NodeClient } from '../../src/types/ports/chain.ts'
import { call } from '../support/client.ts'
import { type FaultyProxy, type ProxyMode, startFaultyProxy } from '../support/faultyProxy.ts'
import { latestBlock, silentContext } from '../support/simulation.ts'

const chainId = 31337
const anvilOptions = { port: 0, chainId, blockTime: undefined, path: undefined }
const somebody = '0x00000000000000000000000000000000000000aa'

let anvil: Anvil
let first: FaultyProxy
let second: FaultyProxy
let client: NodeClient
/** ms; moved by the tests */
let now: number
/** ms; the pauses that were asked for, and not made */
let paused: number[]

beforeAll(async () => {
  anvil = await startAnvil(anvilOptions)
})
afterAll(() => anvil.stop())

beforeEach(() => {
  now = 1_000_000
  paused = []
  first = startFaultyProxy(anvil.url)
  second = startFaultyProxy(anvil.url)
  client = clientOf([first.url, second.url])
})
afterEach(async () => {
  await client.close()
  await first.stop()
  await second.stop()
})

function clientOf(urls: readonly string[], options: Partial<NodeClientOptions> = {}): NodeClient {
  const pause = async (ms: number) => {
    paused.push(ms)
  }
  return createNodeClient(
    { chainId, urls, timeoutMs: 5000, now: () => now, pause, ...options },
    silentContext(),
  )
}

const callsOf = (proxy: FaultyProxy, method: string) => proxy.calls.get(method) ?? 0
const blockNumber = () => client.request<string>('eth_blockNumber', [])
const balance = (at: BlockRef | 'latest') => client.requestAt<string>('eth_getBalance', [somebody], at)

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error) => error,
  )
}

describe('batches', () => {
  test('calls of one tick share one HTTP request', async () => {
    await blockNumber()
    const before = first.requests
    const asked = Array.from({ length: 20 }, async (_, index) => {
      // From different depths of asynchronous code.
      for (let step = 0; step < index; step++) await undefined
      return blockNumber()
    })
    expect(await Promise.all(asked)).toEqual(Array(20).fill('0x0'))
    expect(first.requests - before).toBe(1)
  })

  test('at most a hundred calls travel together', async () => {
    await blockNumber()
    const before = first.requests
    await Promise.all(Array.from({ length: 250 }, blockNumber))
    expect(first.requests - before).toBe(3)
  })

  test('large calls are spread over requests that a node takes', async () => {
    await blockNumber()
    const before = first.requests
    const data = `0x${'00'.repeat(200_000)}`
    const call = () => client.request('eth_call', [{ to: somebody, data }, 'latest'])
    await Promise.all(Array.from({ length: 6 }, call))
    expect(first.requests - before).toBe(3)
  })

  test('a node that refuses batches gets single calls', async () => {
    client = clientOf([first.url])
    first.mode = 'single-only'
    expect(await Promise.all([blockNumber(), blockNumber()])).toEqual(['0x0', '0x0'])
    const before = first.requests
    await Promise.all([blockNumber(), blockNumber(), blockNumber()])
    expect(first.requests - before).toBe(3)
  })

  test('an answer that is missing fails that call only', async () => {
    client = clientOf([first.url])
    await blockNumber()
    first.mode = 'drop-one'
    const [answered, missing] = await Promise.allSettled([blockNumber(), blockNumber()])
    expect(answered).toEqual({ status: 'fulfilled', value: '0x0' })
    expect(missing).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) })
  })

  test('an answer that is missing is asked from the next node', async () => {
    await blockNumber()
    first.mode = 'drop-one'
    expect(await Promise.all([blockNumber(), blockNumber()])).toEqual(['0x0', '0x0'])
    expect(callsOf(second, 'eth_blockNumber')).toBe(1)
  })
})

describe('fail-over', () => {
  test('the first node is preferred', async () => {
    await blockNumber()
    expect([first.requests, second.requests]).toEqual([2, 0])
  })

  const outages: readonly ProxyMode[] = ['down', 'rate-limited', 'unavailable', 'garbage']
  for (const mode of outages) {
    test(`a node that is ${mode} is passed over`, async () => {
      await blockNumber()
      first.mode = mode
      expect(await blockNumber()).toBe('0x0')
      expect(callsOf(second, 'eth_blockNumber')).toBe(1)
    })

    test(`with the only node ${mode} nobody can tell, until it is back`, async () => {
      client = clientOf([first.url])
      first.mode = mode
      expect(await failureOf(blockNumber())).toBeInstanceOf(Unavailable)
      first.mode = 'pass'
      expect(await blockNumber()).toBe('0x0')
    })
  }

  test('a node that does not answer in time is passed over', async () => {
    client = clientOf([first.url, second.url], { timeoutMs: 200 })
    await blockNumber()
    first.mode = 'slow'
    expect(await blockNumber()).toBe('0x0')
    expect(callsOf(second, 'eth_blockNumber')).toBe(1)
  })

  test('an internal error of a node is passed over and does not count against it', async () => {
    await blockNumber()
    first.refuse(['eth_gasPrice'])
    for (let step = 0; step < 4; step++) await client.request('eth_gasPrice', [])
    await blockNumber()
    expect([callsOf(first, 'eth_gasPrice'), callsOf(second, 'eth_gasPrice')]).toEqual([4, 4])
    expect([callsOf(first, 'eth_blockNumber'), callsOf(second, 'eth_blockNumber')]).toEqual([2, 0])
  })

  test('what a node says on purpose is not asked again', async () => {
    first.refuse(['eth_sendRawTransaction'], { code: -32000, message: 'nonce too low', data: '0x12' })
    const error = await failureOf(client.request('eth_sendRawTransaction', ['0x']))
    expect(error).toEqual(new NodeError(-32000, 'nonce too low', '0x12'))
    expect(callsOf(second, 'eth_sendRawTransaction')).toBe(0)
  })
})

describe('circuit breaker', () => {
  /** Three failed requests. */
  async function openFirst(): Promise<void> {
    await blockNumber()
    first.mode = 'unavailable'
    for (let step = 0; step < 3; step++) await blockNumber()
  }

  test('opens after three failures: the node is asked no more', async () => {
    await openFirst()
    const before = first.requests
    await blockNumber()
    expect(first.requests).toBe(before)
  })

  test('a failed batch counts once', async () => {
    await blockNumber()
    first.mode = 'unavailable'
    await Promise.all(Array.from({ length: 10 }, blockNumber))
    first.mode = 'pass'
    const before = first.requests
    await blockNumber()
    expect([first.requests, callsOf(first, 'eth_blockNumber')]).toEqual([before + 2, 12])
  })

  test('after the pause a check beside the calls brings the node back', async () => {
    await openFirst()
    first.mode = 'slow'
    now += 1000
    const checked = first.nextRequest()
    expect(await blockNumber()).toBe('0x0')
    await checked
    const before = callsOf(second, 'eth_blockNumber')
    expect(callsOf(first, 'eth_chainId')).toBe(4)
    first.mode = 'pass'
    // The check that was held ends before what is asked after it.
    await until(async () => {
      await blockNumber()
      return callsOf(first, 'eth_blockNumber') > 2
    })
    expect(before).toBe(4)
  })

  test('a failed check makes the next pause longer', async () => {
    await openFirst()
    now += 1000
    const checked = first.nextRequest()
    await blockNumber()
    await checked
    await until(async () => {
      await blockNumber()
      return first.requests === 6
    })
    first.mode = 'pass'
    now += 1999
    await blockNumber()
    expect(first.requests).toBe(6)
  })

  test('retry-after opens at once, for that long', async () => {
    await blockNumber()
    first.mode = 'rate-limited'
    first.retryAfter = 60
    await blockNumber()
    first.mode = 'pass'
    now += 59_999
    const before = first.requests
    await blockNumber()
    expect(first.requests).toBe(before)
  })

  test('a node that asked for a pause is left alone even when it is the only one', async () => {
    client = clientOf([first.url])
    first.mode = 'rate-limited'
    first.retryAfter = 60
    expect(await failureOf(blockNumber())).toBeInstanceOf(Unavailable)
    first.mode = 'pass'
    expect(await failureOf(blockNumber())).toBeInstanceOf(Unavailable)
    expect(first.requests).toBe(1)
    now += 60_000
    expect(await blockNumber()).toBe('0x0')
  })

  test('with every node left alone the best one is tried all the same', async () => {
    await blockNumber()
    first.mode = 'unavailable'
    second.mode = 'unavailable'
    for (let step = 0; step < 4; step++) await failureOf(blockNumber())
    expect(await failureOf(blockNumber())).toBeInstanceOf(Unavailable)
    second.mode = 'pass'
    expect(await blockNumber()).toBe('0x0')
  })
})

describe('chain id', () => {
  let stranger: Anvil
  let strangerProxy: FaultyProxy

  beforeAll(async () => {
    stranger = await startAnvil({ ...anvilOptions, chainId: 777 })
    strangerProxy = startFaultyProxy(stranger.url)
  })
  afterAll(async () => {
    await strangerProxy.stop()
    await stranger.stop()
  })

  test('a node of another chain is asked for its chain and nothing else', async () => {
    strangerProxy.calls.clear()
    client = clientOf([strangerProxy.url, second.url])
    expect(await Promise.all([blockNumber(), balance('latest')])).toEqual(['0x0', '0x0'])
    await blockNumber()
    expect([...strangerProxy.calls]).toEqual([['eth_chainId', 1]])
  })

  test('a node that is of another chain after an outage is not used', async () => {
    await blockNumber()
    const { url } = first
    first.mode = 'down'
    for (let step = 0; step < 3; step++) await blockNumber()
    const port = Number(new URL(url).port)
    const asked: string[] = []
    const impostor = Bun.serve({
      port,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { id, method } = (await request.json()) as { id: number; method: string }
        asked.push(method)
        return Response.json({ jsonrpc: '2.0', id, result: '0x309' })
      },
    })
    now += 1000
    await until(async () => {
      expect(await blockNumber()).toBe('0x0')
      return asked.length > 0
    })
    expect(await blockNumber()).toBe('0x0')
    expect(asked).toEqual(['eth_chainId'])
    await impostor.stop(true)
  })

  test('detectChainId passes over a node whose answer is no chain id', async () => {
    first.mode = 'wrong-types'
    const timeout = { timeoutMs: 5000 }
    expect(await detectChainId([first.url, strangerProxy.url], timeout)).toBe(777)
    expect(await failureOf(detectChainId([first.url], timeout))).toBeInstanceOf(Unavailable)
  })

  test('detectChainId takes the first node that answers', async () => {
    first.mode = 'unavailable'
    const timeout = { timeoutMs: 5000 }
    expect(await detectChainId([first.url, strangerProxy.url, second.url], timeout)).toBe(777)
    expect(await failureOf(detectChainId([first.url], timeout))).toBeInstanceOf(Unavailable)
  })
})

describe('pinned reads', () => {
  const nowhere: BlockRef = { number: 99, hash: `0x${'11'.repeat(32)}` }

  test('are read at the block', async () => {
    expect(await balance(await latestBlock(anvil))).toBe('0x0')
  })

  test('go to another node when one does not know the block', async () => {
    first.mode = 'unknown-block'
    expect(await balance(await latestBlock(anvil))).toBe('0x0')
    expect(callsOf(second, 'eth_getBalance')).toBe(1)
  })

  test('do not count against a node that does not know the block', async () => {
    const block = await latestBlock(anvil)
    first.mode = 'unknown-block'
    for (let step = 0; step < 4; step++) await balance(block)
    await blockNumber()
    expect(callsOf(first, 'eth_blockNumber')).toBe(1)
  })

  test('at a block that nobody knows are never a no', async () => {
    expect(await failureOf(balance(nowhere))).toBeInstanceOf(Unavailable)
  })

  test('ask one URL again and again for a second, since it may be several nodes', async () => {
    client = clientOf([first.url])
    await failureOf(balance(nowhere))
    expect([callsOf(first, 'eth_getBalance'), paused]).toEqual([5, [50, 150, 300, 500]])
  })

  test('a caller’s own block is answered in the words of the node', async () => {
    const asked = client.request('eth_getBalance', [somebody, { blockHash: nowhere.hash }])
    expect(await failureOf(asked)).toEqual(new NodeError(-32001, 'Resource not found'))
  })

  test('a revert is a verdict, with its bytes', async () => {
    // PUSH1 0xab, PUSH1 0, MSTORE8, PUSH1 1, PUSH1 0, REVERT
    const code = '0x60ab60005360016000fd'
    const call = [{ to: somebody, data: '0x' }]
    const error = await failureOf(
      client.requestAt('eth_call', call, await latestBlock(anvil), [{ [somebody]: { code } }]),
    )
    expect(error).toBeInstanceOf(NodeError)
    expect(error).toMatchObject({ code: 3, nodeData: '0xab' })
  })
})

describe('answers of the wrong kind', () => {
  const kinds: readonly ProxyMode[] = ['wrong-types', 'wrong-id', 'truncated', 'over-limit']
  for (const mode of kinds) {
    test(`${mode}: the next node is asked`, async () => {
      await blockNumber()
      first.mode = mode
      const block = await client.request<{ number: string }>('eth_getBlockByNumber', ['latest', false])
      expect(block.number).toBe('0x0')
      expect(await blockNumber()).toBe('0x0')
    })
  }

  test('with no other node they are nobody’s verdict', async () => {
    client = clientOf([first.url])
    await blockNumber()
    for (const mode of kinds) {
      first.mode = mode
      expect(await failureOf(balance('latest'))).toBeInstanceOf(Unavailable)
    }
  })
})

describe('a node that is behind', () => {
  const lagging = { maxLag: 10_000 }
  const latest = () => client.request<{ number: string }>('eth_getBlockByNumber', ['latest', false])
  let own: Anvil

  beforeAll(async () => {
    own = await startAnvil(anvilOptions)
  })
  afterAll(() => own.stop())
  beforeEach(() => {
    first.target = own.url
    second.target = own.url
  })

  /** Lets the client compare its nodes, and ends when that is done. */
  async function compare(): Promise<void> {
    now += 2000
    const before = [callsOf(first, 'eth_blockNumber'), callsOf(second, 'eth_blockNumber')]
    await latest()
    await until(async () => {
      await latest()
      const after = [callsOf(first, 'eth_blockNumber'), callsOf(second, 'eth_blockNumber')]
      return after.every((calls, index) => calls > (before[index] ?? 0))
    })
    await latest()
  }

  test('by time is left out, and comes back when it has caught up', async () => {
    client = clientOf([first.url, second.url], lagging)
    await compare()
    first.mode = 'stuck'
    const { number: old } = await latest()
    await call(own.url, 'anvil_mine', 3)
    await compare()
    expect((await latest()).number).toBe(old)
    now += 10_000
    await compare()
    expect(Number((await latest()).number)).toBe(Number(old) + 3)
    first.mode = 'pass'
    await compare()
    const before = callsOf(second, 'eth_getBlockByNumber')
    await latest()
    expect(callsOf(second, 'eth_getBlockByNumber')).toBe(before)
  })

  test('is the last resort', async () => {
    client = clientOf([first.url, second.url], lagging)
    await compare()
    first.mode = 'stuck'
    const { number: old } = await latest()
    await call(own.url, 'anvil_mine', 1)
    await compare()
    now += 10_000
    await compare()
    second.mode = 'down'
    expect((await latest()).number).toBe(old)
  })
})

test('closing ends what is under way', async () => {
  await blockNumber()
  first.mode = 'slow'
  second.mode = 'slow'
  const asked = failureOf(blockNumber())
  await first.nextRequest()
  await client.close()
  expect(await asked).toBeInstanceOf(Unavailable)
})

test('calls are counted by chain, method and outcome', async () => {
  const context = silentContext()
  const counted = createNodeClient({ chainId, urls: [first.url], timeoutMs: 5000 }, context)
  await counted.request('eth_blockNumber', [])
  await failureOf(counted.request('eth_nonsense', []))
  const text = await context.metrics.text()
  await counted.close()
  expect(text).toContain(
    'tandem_node_requests_total{chain="31337",method="eth_blockNumber",outcome="ok",purpose="bundler"} 1',
  )
  expect(text).toContain(
    'tandem_node_requests_total{chain="31337",method="other",outcome="error",purpose="bundler"} 1',
  )
})

/** Asks until `done`, each time after a round trip: an event that only shows in what follows it. */
async function until(done: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) if (await done()) return
  throw new Error('it did not happen')
}

test('a filter is asked of the node that has it, also when another one is preferred again', async () => {
  first.mode = 'unavailable'
  const made = await client.requestOf<string>(undefined, 'eth_newBlockFilter', [])
  expect(made.node).toBe(1)
  first.mode = 'pass'
  now += 60_000
  await blockNumber()
  const { node, result } = await client.requestOf(made.node, 'eth_getFilterChanges', [made.result])
  expect({ node, result }).toEqual({ node: 1, result: [] })
  expect(await failureOf(client.requestOf(7, 'eth_getFilterChanges', ['0x1']))).toMatchObject({
    code: -32000,
    message: 'filter not found',
  })
})
