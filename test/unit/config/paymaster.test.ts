import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../../../src/base/errors.ts'
import { ConfigError } from '../../../src/config/config-error.ts'
import type { Environment } from '../../../src/config/environment.ts'
import { loadConfiguration, loadKeysConfiguration } from '../../../src/config/load.ts'
import type { TokenSettings } from '../../../src/paymaster/tokens/token.ts'

const key = (digit: string) => `0x${digit.repeat(64)}`
const feed = '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419'
const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const node = { rpcUrl: ['http://127.0.0.1:8545'], relayerKeys: [key('1')] }
const paymaster = { ...node, masterKey: 'AB'.repeat(32), nativePrice: '2500' }

const folder = mkdtempSync(join(tmpdir(), 'tandem-config-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'tandem.json')

function load(content: Json, args: readonly string[] = [], env: Environment = {}) {
  writeFileSync(path, JSON.stringify(content))
  const { service, chains, warnings } = loadConfiguration({ args: ['--config', path, ...args], env })
  const [chain] = chains
  if (chain === undefined) throw new Error('no chain')
  return { service, chain, warnings }
}

function problemsOf(task: () => unknown): readonly string[] {
  try {
    task()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((text) => text.replaceAll(`${path}: `, ''))
    throw error
  }
  return []
}

test('a master key is 32 bytes of hex, and a secret', () => {
  expect(load(paymaster).service.masterKey).toBe(`0x${'ab'.repeat(32)}`)
  const env = { KEY: key('c') }
  expect(load({ ...paymaster, masterKey: 'env:KEY' }, [], env).service.masterKey).toBe(`0x${'c'.repeat(64)}`)
  expect(problemsOf(() => load({ ...paymaster, masterKey: 'secret' }))).toEqual([
    'masterKey: must be 32 bytes of hex',
  ])
  const args = ['list', '--master-key', key('d')].slice(1)
  expect(loadKeysConfiguration({ args, env: {} }).warnings).toEqual([
    '--master-key: is visible in process lists: give it as @file or env:NAME',
  ])
})

test('without a master key nothing of the paymaster is configured', () => {
  for (const [name, value] of [
    ['nativePrice', '2500'],
    ['paymasterKey', key('2')],
    ['sponsorName', 'Ann'],
    ['paymasterUnstakeDelay', 1],
  ] as const)
    expect(problemsOf(() => load({ ...node, [name]: value }))).toEqual([
      `chains[0]: masterKey is missing: ${name} needs it`,
    ])
})

test('nor is anything that needs API keys', () => {
  for (const [name, value] of [
    ['requireApiKey', true],
    ['paymasterHosts', ['pay.example']],
    ['paymasterPort', 0],
  ] as const) {
    expect(load({ ...paymaster, [name]: value }).service).toMatchObject({ [name]: value })
    expect(problemsOf(() => load({ ...node, [name]: value }))).toEqual([
      `masterKey is missing: ${name} needs it`,
    ])
  }
})

test('a paymaster counts in US dollars', () => {
  const { nativePrice: _, ...rest } = paymaster
  expect(problemsOf(() => load(rest))).toEqual([
    'chains[0]: nativePrice is missing: masterKey needs it, since limits are in US dollars',
  ])
})

test.each([
  ['2500', { kind: 'fixed', usd: 250_000_000_000n }],
  ['0.00000001', { kind: 'fixed', usd: 1n }],
  [
    { chainlink: feed.toLowerCase(), maxAge: 3600 },
    { kind: 'chainlink', feed, maxAge: 3600 },
  ],
  [
    { http: 'https://prices.example/simple', id: 'ethereum', maxAge: 60 },
    { kind: 'http', url: 'https://prices.example/simple', id: 'ethereum', maxAge: 60, timeoutMs: 5000 },
  ],
] as const)('price %j', (given, price) => {
  expect(load({ ...paymaster, nativePrice: given }).chain.nativePrice).toEqual(price)
})

test.each<[Json]>([
  ['0'],
  ['-1'],
  ['1e3'],
  ['0.000000001'],
  ['NaN'],
  [`1${'0'.repeat(40)}`],
  [2500],
  [{ chainlink: feed }],
  [{ chainlink: feed, maxAge: 0 }],
  [{ chainlink: '0x1', maxAge: 1 }],
  [{ chainlink: feed, maxAge: 1, id: 'x' }],
  [{ http: 'ftp://prices.example', id: 'x', maxAge: 1 }],
  [{}],
])('no price: %j', (given) => {
  expect(problemsOf(() => load({ ...paymaster, nativePrice: given }))).toEqual([
    'nativePrice: must be US dollars for one as text ("2500.5"), {"chainlink": feed, "maxAge": s}, or {"http": URL, "id": name, "maxAge": s}',
  ])
})

const usdc = { symbol: 'USDC', address: token, decimals: 6, price: '1' } as const
const withTokens = (...tokens: Json[]) => ({ ...paymaster, paymasterKey: key('2'), tokens })

test('tokens, in the file and in a flag', () => {
  const source = { chainlink: feed, maxAge: 5 }
  const dai = { symbol: 'DAI', address: feed, decimals: 18, onChainFeed: true, price: source } as const
  const given = [usdc, dai]
  const expected: TokenSettings[] = [
    { ...usdc, price: { kind: 'fixed', usd: 100_000_000n }, onChainFeed: false },
    { ...dai, price: { kind: 'chainlink', feed, maxAge: 5 } },
  ]
  expect(load({ ...withTokens(...given), nativePrice: source }).chain.tokens).toEqual(expected)
  const flags = ['--tokens', JSON.stringify(given), '--native-price', JSON.stringify(source)]
  expect(load(withTokens(), flags).chain.tokens).toEqual(expected)
})

test('a feed on the chain is the one that the service reads', () => {
  const fed = { ...usdc, onChainFeed: true }
  const problem = 'chains[0]: onChainFeed of USDC needs Chainlink feeds as its price and as nativePrice'
  const source = { chainlink: feed, maxAge: 5 }
  expect(problemsOf(() => load(withTokens({ ...fed, price: source })))).toEqual([problem])
  expect(problemsOf(() => load({ ...withTokens(fed), nativePrice: source }))).toEqual([problem])
})

test("the paymaster's key sends its own transactions only", () => {
  const problem = 'chains[0]: paymasterKey is one that sends transactions: it needs a nonce line of its own'
  expect(problemsOf(() => load({ ...paymaster, paymasterKey: key('1') }))).toEqual([problem])
  expect(problemsOf(() => load({ ...paymaster, paymasterKey: key('3'), fundingKey: key('3') }))).toEqual([
    problem,
  ])
})

test.each([
  [[{ ...usdc, decimals: 37 }], '(entry 1: decimals)'],
  [[usdc, { ...usdc, address: '0x12' }], '(entry 2: address)'],
  [[{ ...usdc, symbol: '' }], '(entry 1: symbol)'],
  [[{ ...usdc, price: '0' }], '(entry 1: price)'],
  [[{ ...usdc, fee: 1 }], '(entry 1: fee)'],
])('tokens that are none: %j', (tokens, place) => {
  expect(problemsOf(() => load(withTokens(...tokens)))).toEqual([
    `tokens ${place}: must be a list of {"symbol", "address", "decimals", "price": as nativePrice, "onChainFeed": true or false}`,
  ])
})

test('a token is configured once, and has a paymaster', () => {
  expect(problemsOf(() => load(withTokens(usdc, { ...usdc, symbol: 'usdc' })))).toEqual([
    'chains[0]: tokens has the same address twice',
    'chains[0]: tokens has the same symbol twice',
  ])
  const { paymasterKey: _, ...rest } = withTokens(usdc)
  expect(problemsOf(() => load(rest))).toEqual(['chains[0]: paymasterKey is missing: tokens need it'])
})

test("a price source's URL may be kept elsewhere, and is not shown", () => {
  const source = { http: 'env:PRICES', id: 'x', maxAge: 1 }
  const url = 'https://prices.example/?key=hush'
  const settings = { ...withTokens({ ...usdc, price: source }), nativePrice: source }
  const { chain } = load(settings, [], { PRICES: url })
  expect([chain.nativePrice, chain.tokens[0]?.price]).toMatchObject([{ url }, { url }])
  expect(problemsOf(() => load(settings))).toEqual([
    'nativePrice: the environment variable that it names is not set',
    'tokens: the environment variable that it names is not set',
  ])
  const exposed = load(settings, ['--native-price', JSON.stringify({ ...source, http: url })], {
    PRICES: url,
  })
  expect(exposed.warnings).toEqual([
    '--native-price: is visible in process lists: give it as @file or env:NAME',
  ])
})
