import { describe, expect, test } from 'bun:test'
import { createLog } from '../../src/base/log.ts'
import { createMetrics } from '../../src/base/metrics.ts'
import { createOperatorApp } from '../../src/http/operator/app.ts'
import { isLoopback } from '../../src/http/operator/loopback.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type {
  ChainInspector,
  Page,
  PooledOperation,
  ServiceReadiness,
} from '../../src/types/ports/operator.ts'
import { address, hash, userOp } from '../support/builders.ts'

const entryPoint = entryPoints['0.7'].address

const pooled: PooledOperation = {
  op: userOp({ nonce: 1n, maxFeePerGas: 10n ** 20n, maxPriorityFeePerGas: 2n }),
  hash: hash(1),
  entryPoint,
  state: { kind: 'submitted', bundleId: 'b', transactionHash: hash(2) },
  failures: 0,
  age: 1500,
}

function inspector(changes: Partial<ChainInspector> = {}): ChainInspector {
  return {
    chainId: 1337,
    readiness: () => ({ ready: false, missing: ['a funded relayer'] }),
    overview: () => ({
      chainId: 1337,
      entryPoints: [{ version: '0.7', address: entryPoint }],
      head: {
        ...{ number: 5, hash: hash(5), parentHash: hash(4), timestamp: 5 },
        ...{ baseFeePerGas: undefined, gasLimit: 1n },
      },
      headAge: 250,
      blockTime: 12,
      operations: 1,
      relayers: { idle: 0, busy: 0, recovering: 0, 'low-balance': 1 },
    }),
    pool: () => ({
      total: 1,
      byState: { queued: 0, pending: 0, bundled: 0, submitted: 1 },
      byEntryPoint: { [entryPoint]: 1 },
      oldestAge: 1500,
      entries: [pooled],
    }),
    relayers: async () => ({ relayers: [], funding: undefined, wallets: [] }),
    paymasters: () => [
      { paymaster: address(8), entryPoint, deposit: 5n, isWatched: true, isLow: true },
      { paymaster: address(9), entryPoint, deposit: 10n ** 18n, isWatched: false, isLow: false },
    ],
    reputation: () => [{ entryPoint, address: address(1), opsSeen: 2, opsIncluded: 1, status: 'ok' }],
    ...changes,
  }
}

const notReady: ServiceReadiness = {
  ready: false,
  missing: ['chain 1337: a funded relayer', 'a working store: no answer'],
  own: ['a working store: no answer'],
  chains: [{ chainId: 1337, ready: false, missing: ['a funded relayer'] }],
}

function operator(chain = inspector()) {
  const lines: string[] = []
  const metrics = createMetrics()
  const app = createOperatorApp({
    log: createLog({ level: 'debug', write: (line) => lines.push(line) }),
    metrics,
    inspectors: new Map([[1337, chain]]),
    readiness: async () => notReady,
  })
  async function get(path: string, headers: Record<string, string> = {}) {
    const response = await app.handle(new Request(`http://localhost:4338${path}`, { headers }))
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
  }
  return { get, metrics, lines }
}

describe("the operator's listener", () => {
  test('says what is missing, of the whole and of each chain', async () => {
    const { status, body } = await operator().get('/ready')
    const { own: _, ...told } = notReady
    expect({ status, body }).toEqual({ status: 503, body: told })
  })

  test('has the metrics', async () => {
    const { get, metrics } = operator()
    metrics.counter('things_total', 'Things.').inc()
    const { status, body, headers } = await get('/metrics')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toStartWith('text/plain')
    expect(body).toContain('tandem_things_total 1')
  })

  test('tells of the chains', async () => {
    const { status, body } = await operator().get('/chains')
    expect(status).toBe(200)
    expect(body).toEqual({
      chains: [
        {
          chainId: 1337,
          ready: false,
          missing: ['a funded relayer'],
          entryPoints: [{ version: '0.7', address: entryPoint }],
          head: { number: 5, hash: hash(5), age: 0.25 },
          blockTime: 12,
          operations: 1,
          relayers: { idle: 0, busy: 0, recovering: 0, 'low-balance': 1 },
        },
      ],
    })
  })

  test('tells of the pool: amounts are text in wei, ages seconds', async () => {
    const { status, body } = await operator().get('/chains/1337/pool')
    expect(status).toBe(200)
    expect(body).toEqual({
      total: 1,
      byState: { queued: 0, pending: 0, bundled: 0, submitted: 1 },
      byEntryPoint: { [entryPoint]: 1 },
      oldestAge: 1.5,
      offset: 0,
      entries: [
        {
          hash: hash(1),
          entryPoint,
          sender: pooled.op.sender,
          nonce: '0x1',
          maxFeePerGas: '100000000000000000000',
          maxPriorityFeePerGas: '2',
          paymaster: null,
          state: 'submitted',
          transactionHash: hash(2),
          failures: 0,
          age: 1.5,
        },
      ],
    })
  })

  test('gives the pool in pages of 100, or as asked', async () => {
    const asked: Page[] = []
    const { get } = operator(
      inspector({
        pool: (page) => {
          asked.push(page)
          return { ...inspector().pool(page), entries: [] }
        },
      }),
    )
    await get('/chains/1337/pool')
    await get('/chains/1337/pool?limit=500&offset=7')
    expect(asked).toEqual([
      { limit: 100, offset: 0 },
      { limit: 500, offset: 7 },
    ])
  })

  for (const query of ['limit=501', 'limit=0', 'offset=-1', 'limit=x', 'limit=1.5'])
    test(`refuses a page of ${query}`, async () => {
      const { status, body } = await operator().get(`/chains/1337/pool?${query}`)
      expect({ status, body }).toEqual({
        status: 400,
        body: { error: 'limit is from 1 to 500, offset from 0' },
      })
    })

  test('tells of the relayers and what they have under way', async () => {
    const chain = inspector({
      relayers: async () => ({
        relayers: [
          {
            ...{ address: address(1), state: 'busy', balance: 10n ** 18n, nextNonce: 4 },
            open: [
              {
                ...{ bundleId: 'b', nonce: 3, state: 'pending', operations: 2 },
                versions: [
                  {
                    ...{ hash: hash(1), kind: 'bundle', delivery: 'accepted' },
                    ...{ maxFeePerGas: 3n, maxPriorityFeePerGas: 1n, createdAt: Date.now() },
                  },
                ],
              },
            ],
          },
        ],
        funding: {
          ...{ address: address(2), state: 'idle', balance: 7n, nextNonce: 0, open: [] },
          ...{ spent: 5n, dailyLimit: 6n, shortage: 'daily-limit' },
        },
        wallets: [{ address: address(3), state: 'idle', balance: 9n, nextNonce: 2, open: [] }],
      }),
    })
    const { status, body } = await operator(chain).get('/chains/1337/relayers')
    expect(status).toBe(200)
    const version = {
      ...{ hash: hash(1), kind: 'bundle', delivery: 'accepted' },
      ...{ maxFeePerGas: '3', maxPriorityFeePerGas: '1', age: expect.any(Number) },
    }
    expect(body).toEqual({
      relayers: [
        {
          ...{ address: address(1), state: 'busy', balance: '1000000000000000000', nextNonce: 4 },
          open: [
            {
              ...{ bundleId: 'b', nonce: 3, state: 'pending', operations: 2 },
              ...{ age: expect.any(Number), versions: [version] },
            },
          ],
        },
      ],
      funding: {
        ...{ address: address(2), state: 'idle', balance: '7', nextNonce: 0, open: [] },
        ...{ spent: '5', dailyLimit: '6', shortage: 'daily-limit' },
      },
      wallets: [{ address: address(3), state: 'idle', balance: '9', nextNonce: 2, open: [] }],
    })
  })

  test('tells of the paymasters, in pages', async () => {
    const watched = { paymaster: address(8), entryPoint, deposit: '5', watched: true, low: true }
    const pooled = {
      paymaster: address(9),
      entryPoint,
      deposit: '1000000000000000000',
      watched: false,
      low: false,
    }
    const { get } = operator()
    expect((await get('/chains/1337/paymasters')).body).toEqual({
      ...{ total: 2, offset: 0, paymasters: [watched, pooled] },
    })
    expect((await get('/chains/1337/paymasters?limit=1&offset=1')).body).toEqual({
      ...{ total: 2, offset: 1, paymasters: [pooled] },
    })
  })

  test('tells of the reputations', async () => {
    const { status, body } = await operator().get('/chains/1337/reputation')
    expect(status).toBe(200)
    expect(body).toEqual({
      entities: [{ entryPoint, address: address(1), opsSeen: 2, opsIncluded: 1, status: 'ok' }],
    })
  })

  for (const path of ['/chains/5/pool', '/chains/x/relayers', '/chains/5/reputation'])
    test(`knows nothing at ${path}`, async () => {
      const { status, body } = await operator().get(path)
      expect({ status, body }).toEqual({
        status: 404,
        body: { error: `not served: chain ${path.split('/')[2]}` },
      })
    })

  test('tells nobody what went wrong inside', async () => {
    const { get, lines } = operator(inspector({ relayers: () => Promise.reject(new Error('inner')) }))
    const { status, body } = await get('/chains/1337/relayers')
    expect({ status, body }).toEqual({ status: 500, body: { error: 'internal error' } })
    expect(lines.join()).toContain('inner')
  })

  for (const host of [
    'evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1:4338',
    'localhost.evil.example',
    '',
  ])
    test(`answers nothing to the host "${host}", whatever the path`, async () => {
      const { get } = operator()
      const answers = await Promise.all(
        ['/metrics', '/chains', '/nowhere'].map((path) => get(path, { host })),
      )
      expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
        Array.from({ length: 3 }, () => ({
          status: 403,
          body: { error: 'this listener answers to localhost only' },
        })),
      )
    })

  test('lets no web page read it', async () => {
    const { headers } = await operator().get('/metrics', { origin: 'https://evil.example' })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})

test.each([
  '127.0.0.1:4338',
  '127.0.0.1',
  '127.9.9.9:1',
  'localhost:4338',
  'LOCALHOST',
  'tandem.localhost:1',
  '[::1]:4338',
])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true)
})
