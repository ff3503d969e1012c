import { afterAll, afterEach, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { numberToHex } from 'viem'
import { deferred } from '../../../src/base/queue.ts'
import { createNodeClient } from '../../../src/chain/client.ts'
import { createHeadFollower, type HeadFollower, type HeadOptions } from '../../../src/chain/head.ts'
import { parseHeader, type RpcHeader } from '../../../src/chain/header.ts'
import { type Anvil, startAnvil } from '../../../src/dev/anvil.ts'
import type { BlockRef, Head, HeadChange } from '../../../src/types/block.ts'
import type { NodeClient } from '../../../src/types/ports/chain.ts'
import { rpc } from '../../support/devChain.ts'
import { type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts'
import { silentContext } from '../../support/simulation.ts'

let anvil: Anvil
let proxy: FaultyProxy
let client: NodeClient
let heads: HeadFollower
let changes: HeadChange[]

beforeAll(async () => {
  anvil = await startAnvil({ port: 0, chainId: 31337, blockTime: undefined, path: undefined })
})
afterAll(() => anvil.stop())

beforeEach(() => {
  changes = []
  proxy = startFaultyProxy(anvil.url)
  client = createNodeClient({ chainId: 31337, urls: [proxy.url], timeoutMs: 5000 }, silentContext())
})
afterEach(async () => {
  await heads.stop()
  await client.close()
  await proxy.stop()
})

async function follow(options: Partial<HeadOptions> = {}, before: readonly BlockRef[] = []): Promise<void> {
  heads = createHeadFollower(
    { chainId: 31337, pollInterval: 5, reorgDepth: 8, catchUp: 20, webSocketUrl: undefined, ...options },
    { ...silentContext(), client },
  )
  heads.onChange((change) => {
    changes.push(change)
  })
  await heads.start(before)
}

const mine = (count: number) => rpc(anvil.url, 'anvil_mine', [count])
const reorg = (depth: number) => rpc(anvil.url, 'anvil_reorg', [depth, []])
const headAt = async (block: number | 'latest'): Promise<Head> =>
  parseHeader(
    await rpc<RpcHeader>(anvil.url, 'eth_getBlockByNumber', [
      typeof block === 'number' ? `0x${block.toString(16)}` : block,
      false,
    ]),
  )
const headsBetween = (from: number, to: number): Promise<Head[]> =>
  Promise.all(Array.from({ length: to - from + 1 }, (_, index) => headAt(from + index)))
const ref = ({ number, hash }: Head): BlockRef => ({ number, hash })

/** Resolves when the change that ends in this head was handled. */
function seen(hash: Head['hash']): Promise<void> {
  const arrived = deferred<void>()
  if (heads.current?.hash === hash) arrived.resolve()
  heads.onChange(({ head }) => {
    if (head.hash === hash) arrived.resolve()
  })
  return arrived.promise
}

/** What listeners were told since the start, as one chain, and which blocks were taken back. */
function told(): { chain: BlockRef[]; removed: BlockRef[] } {
  let chain: BlockRef[] = []
  const removed: BlockRef[] = []
  for (const change of changes) {
    expect(change.removed).toEqual(chain.slice(chain.length - change.removed.length).toReversed())
    chain = [...chain.slice(0, chain.length - change.removed.length), ...change.added.map(ref)]
    removed.push(...change.removed)
  }
  return { chain, removed }
}

test('starts with the newest block', async () => {
  await follow()
  const head = await headAt('latest')
  expect(changes).toEqual([{ head, added: [head], removed: [] }])
  expect(heads.current).toEqual(head)
})

test('every block is told once and in order', async () => {
  await follow()
  const start = await headAt('latest')
  for (let step = 0; step < 5; step++) await mine(1)
  await mine(7)
  const end = await headAt('latest')
  await seen(end.hash)
  expect(told()).toEqual({
    chain: (await headsBetween(start.number, end.number)).map(ref),
    removed: [],
  })
})

test('missed blocks are read in one request', async () => {
  await follow({ pollInterval: 60_000 })
  await mine(10)
  const before = proxy.requests
  await heads.refresh()
  expect(proxy.requests - before).toBe(2)
  expect(changes.at(-1)?.added.length).toBe(10)
})

for (const depth of [1, 3]) {
  test(`a reorg of depth ${depth}`, async () => {
    await follow()
    await mine(5)
    const old = await headAt('latest')
    await seen(old.hash)
    const gone = await headsBetween(old.number - depth + 1, old.number)
    await reorg(depth)
    const end = await headAt('latest')
    await seen(end.hash)
    const { chain, removed } = told()
    expect(removed).toEqual(gone.map(ref).toReversed())
    expect(chain.slice(-depth - 1)).toEqual((await headsBetween(end.number - depth, end.number)).map(ref))
  })
}

test('a chain that was cut back is followed when nothing else has been seen for longer than a node may lag', async () => {
  let now = 0
  await mine(1)
  await follow({ pollInterval: 60_000, maxNodeLag: 1000, now: () => now })
  await mine(1)
  await heads.refresh()
  const snapshot = await rpc(anvil.url, 'evm_snapshot')
  const end = await headAt('latest')
  await mine(2)
  await heads.refresh()
  const gone = await headsBetween(end.number + 1, end.number + 2)
  await rpc(anvil.url, 'evm_revert', [snapshot])
  await heads.refresh()
  now = 1500
  await heads.refresh()
  expect(heads.current?.number).toBe(end.number + 2)

  now = 1501
  await heads.refresh()
  expect(heads.current).toEqual(end)
  const { chain, removed } = told()
  expect(chain.at(-1)).toEqual(ref(end))
  expect(removed).toEqual([end, ...gone].map(ref).toReversed())
})

test('a node that lags now and then does not cut the chain back', async () => {
  let now = 0
  let lag = 0
  const { request } = client
  client = {
    ...client,
    request: async <Result>(method: string, params: readonly unknown[]) =>
      request<Result>(method, params[0] === 'latest' ? [numberToHex(end.number - lag), false] : params),
  }
  await mine(3)
  const end = await headAt('latest')
  await follow(
    { pollInterval: 60_000, maxNodeLag: 1000, now: () => now },
    (await headsBetween(end.number - 1, end.number)).map(ref),
  )
  for (lag of [1, 0, 1]) {
    await heads.refresh()
    now += 1400
  }
  expect(changes).toEqual([])
})

test('a reorg below all that is known removes all of it', async () => {
  await mine(12)
  await follow({ reorgDepth: 3, pollInterval: 60_000 })
  await mine(3)
  const old = await headAt('latest')
  await heads.refresh()
  const gone = await headsBetween(old.number - 2, old.number)
  await reorg(8)
  const end = await headAt('latest')
  await heads.refresh()
  const { removed, added } = changes.at(-1) as HeadChange
  expect(removed).toEqual(gone.map(ref).toReversed())
  expect(added).toEqual(await headsBetween(old.number - 2, end.number))
})

test('after a restart, what was missed follows on the blocks handled before', async () => {
  await mine(3)
  const before = await headsBetween((await headAt('latest')).number - 2, (await headAt('latest')).number)
  await mine(4)
  const end = await headAt('latest')
  await follow({}, before.map(ref))
  expect(changes).toEqual([{ head: end, added: await headsBetween(end.number - 3, end.number), removed: [] }])
})

test('after a restart, a reorg that happened meanwhile is told', async () => {
  await mine(5)
  const old = await headAt('latest')
  const before = await headsBetween(old.number - 4, old.number)
  await reorg(2)
  await mine(1)
  const end = await headAt('latest')
  await follow({}, before.map(ref))
  expect(changes).toEqual([
    {
      head: end,
      added: await headsBetween(old.number - 1, end.number),
      removed: before.slice(-2).map(ref).toReversed(),
    },
  ])
})

test('after a restart on the newest block there is no change', async () => {
  const head = await headAt('latest')
  await follow({}, [ref(head)])
  expect([changes, heads.current]).toEqual([[], head])
})

test('after a long absence old blocks are skipped', async () => {
  const before = await headAt('latest')
  await mine(50)
  const end = await headAt('latest')
  await follow({ catchUp: 10 }, [ref(before)])
  expect(changes).toEqual([
    {
      head: end,
      added: [await headAt(before.number + 1), ...(await headsBetween(end.number - 9, end.number))],
      removed: [],
    },
  ])
})

test('listeners are awaited one after the other, and before the next change', async () => {
  const steps: string[] = []
  const started = deferred<void>()
  const gate = deferred<void>()
  await follow()
  const start = heads.current?.number ?? 0
  heads.onChange(async ({ head }) => {
    steps.push(`first begins ${head.number - start}`)
    started.resolve()
    await gate.promise
    steps.push(`first ends ${head.number - start}`)
  })
  heads.onChange(({ head }) => {
    steps.push(`second ${head.number - start}`)
  })
  await mine(1)
  await started.promise
  await mine(1)
  gate.resolve()
  await seen((await headAt('latest')).hash)
  expect(steps).toEqual([
    ...['first begins 1', 'first ends 1', 'second 1'],
    ...['first begins 2', 'first ends 2', 'second 2'],
  ])
})

test('a listener that fails does not keep the others from their work', async () => {
  heads = createHeadFollower(
    { chainId: 31337, pollInterval: 5, reorgDepth: 8, catchUp: 20, webSocketUrl: undefined },
    { ...silentContext(), client },
  )
  heads.onChange(() => {
    throw new Error('broken')
  })
  heads.onChange((change) => {
    changes.push(change)
  })
  await heads.start([])
  expect(changes.length).toBe(1)
})

test('a start without a node fails and may be tried again', async () => {
  proxy.mode = 'down'
  await expect(follow()).rejects.toThrow()
  proxy.mode = 'pass'
  await heads.start([])
  expect(changes.length).toBe(1)
})

test('staleness grows while the node is down, and blocks of the outage are told after it', async () => {
  await follow()
  const start = await headAt('latest')
  proxy.mode = 'down'
  await mine(3)
  await heads.refresh()
  expect(changes.length).toBe(1)
  expect(heads.staleness(Date.now() + 60_000)).toBeGreaterThanOrEqual(60_000)
  proxy.mode = 'pass'
  const end = await headAt('latest')
  await seen(end.hash)
  expect(told().chain).toEqual((await headsBetween(start.number, end.number)).map(ref))
})

test('a node that is behind does not take blocks back', async () => {
  await mine(2)
  const newest = await headAt('latest')
  const answers = await Promise.all([newest.number, newest.number - 1, newest.number - 2].map(rawBlock))
  const request = async <Result>() => answers.shift() as Result
  client = { ...client, request }
  await follow({ pollInterval: 60_000 })
  await heads.refresh()
  await heads.refresh()
  expect([changes.map(({ head }) => head), answers]).toEqual([[newest], []])
})

const rawBlock = (number: number) =>
  rpc<RpcHeader>(anvil.url, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])

test('refresh tells what was mined just before, whoever asks at once', async () => {
  await follow({ pollInterval: 60_000 })
  await mine(1)
  const before = proxy.requests
  await Promise.all([heads.refresh(), heads.refresh(), heads.refresh()])
  expect(heads.current).toEqual(await headAt('latest'))
  expect(proxy.requests - before).toBeLessThanOrEqual(2)
})

test('a listener that is held up keeps those who ask for the head waiting once, not each of them', async () => {
  let time = 1_000_000
  await follow({ pollInterval: 60_000, now: () => time })
  const [reached, released] = [deferred<void>(), deferred<void>()]
  heads.onChange(() => {
    reached.resolve()
    return released.promise
  })
  await mine(1)
  const first = heads.refresh()
  await reached.promise
  const waits = spyOn(globalThis, 'setTimeout')
  time += 4_000
  const second = heads.refresh()
  time += 1_000
  await heads.refresh()
  expect(waits.mock.calls.map(([, ms]) => ms)).toEqual([1_000])
  waits.mockRestore()
  released.resolve()
  await Promise.all([first, second])
})

test('a WebSocket announces heads long before the next poll', async () => {
  await follow({ pollInterval: 60_000, webSocketUrl: proxy.webSocketUrl })
  await subscribed()
  await mine(1)
  const end = await headAt('latest')
  await seen(end.hash)
  expect(heads.current).toEqual(end)
})

test('a WebSocket that is silent while polling sees heads is opened anew', async () => {
  await follow({ webSocketUrl: proxy.webSocketUrl })
  await subscribed()
  proxy.mode = 'silent-sockets'
  const reopened = proxy.nextSocket()
  for (let step = 0; step < 3; step++) {
    await mine(1)
    await seen((await headAt('latest')).hash)
  }
  await reopened
  expect(proxy.sockets).toBe(2)
})

test('a WebSocket that was lost is opened again', async () => {
  await follow({ webSocketUrl: proxy.webSocketUrl })
  await subscribed()
  proxy.mode = 'down'
  proxy.mode = 'pass'
  await proxy.nextSocket()
  expect(proxy.sockets).toBe(2)
})

/** The node has the subscription when it answers it. */
async function subscribed(): Promise<void> {
  while (!(await proxy.nextSocketMessage()).includes('"result"'));
}

test('an expected block time holds until blocks tell their own', async () => {
  let now = 0
  await follow({ blockTime: 250, now: () => now })
  expect(heads.blockTime).toBe(0.25)
  for (let block = 0; block < 3; block++) {
    now += 2000
    await mine(1)
    await seen((await headAt('latest')).hash)
  }
  expect(heads.blockTime).toBe(2)
})
