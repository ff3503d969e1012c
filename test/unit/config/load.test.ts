import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../../../src/base/errors.ts'
import { ConfigError } from '../../../src/config/config-error.ts'
import type { Environment } from '../../../src/config/environment.ts'
import { loadConfiguration, loadDevConfiguration } from '../../../src/config/load.ts'
import { topUpsOf } from '../../../src/config/top-ups.ts'

const key = (digit: string) => `0x${digit.repeat(64)}` as const
const node = 'http://127.0.0.1:8545'
const needed = { rpcUrl: [node], relayerKeys: [key('1')] }

const folder = mkdtempSync(join(tmpdir(), 'tandem-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Loads from flags and environment, with what is needed in the environment. */
function load(args: readonly string[] = [], env: Environment = {}) {
  return loadConfiguration({
    args,
    env: { TANDEM_RPC_URL: node, TANDEM_RELAYER_KEYS: key('1'), ...env },
  })
}

function loadFile(content: Json, args: readonly string[] = [], env: Environment = {}) {
  const path = fileOf('tandem.json', JSON.stringify(content))
  return loadConfiguration({ args: ['--config', path, ...args], env })
}

function problemsOf(task: () => unknown): readonly string[] {
  try {
    task()
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map((problem) => problem.replaceAll(`${folder}/`, ''))
    throw error
  }
  return []
}

describe('defaults', () => {
  test('a node and a key are enough', () => {
    const { service, chains, warnings } = load()
    expect({ ...service, simulators: 0 }).toEqual({
      port: 4337,
      host: '127.0.0.1',
      database: 'file:./tandem.db',
      requireApiKey: false,
      paymasterHosts: [],
      paymasterPort: undefined,
      leaseDuration: 15,
      historyAge: 30,
      auditAge: 365,
      historySize: 4096,
      adminPort: 4338,
      testing: false,
      logLevel: 'info',
      simulators: 0,
      corsOrigins: ['*'],
      maxBodySize: 1_048_576,
      maxBatch: 100,
      clientRate: 0,
      clientBurst: 200,
      trustedProxies: [],
      forwardingHeader: 'x-forwarded-for',
      maxWebSockets: 1000,
      maxSubscriptions: 100,
      shutdownTimeout: 30,
    })
    expect(chains).toEqual([
      {
        ...needed,
        given: new Set(['rpcUrl', 'relayerKeys']),
        hosts: [],
        minInclusionDenominator: 10,
        throttlingSlack: 10,
        banSlack: 50,
        minStake: 10n ** 18n,
        minUnstakeDelay: 86_400,
        minSignerBalance: 10n ** 17n,
        watchedPaymasters: [],
        minPaymasterDeposit: 10n ** 17n,
        multicall: '0xcA11bde05977b3631167028862bE2a173976CA11',
        estimationStaticBuffer: 0n,
        validationGasLimit: 5_000_000n,
        validationEngine: 'local',
        lowestValidation: 'traced-by-node',
        validationCrossCheck: 0,
        ownPrecompiles: [],
        ownOpcodes: false,
        receiptLookupRange: 1024,
        conditionalTransactions: false,
        gasPriceMarkup: 0,
        enforceGasPrice: false,
        enforceGasPriceThreshold: 1000,
        eip2930: false,
        useropsTTL: 300,
        whitelistedEntities: { paymaster: [], account: [], factory: [] },
        bundleGasLimitMarkup: 0n,
        relayingMode: 'classic',
        bundleInterval: 10_000,
        bundleSize: 500,
        pvgMarkup: 0n,
        skipBundleValidation: false,
        redirectRpc: true,
        maxNonceGap: 10,
        maxPoolAge: 3600,
        maxPoolSize: 50_000,
        reorgDepth: 64,
        transactionGasCap: 16_777_216n,
        transactionBytesCap: 131_072,
        maxUserOperationSize: 8192,
        nodeTimeout: 10_000,
        maxNodeLag: 10_000,
        replaceAfterBlocks: 3,
        eip7623: true,
        expectedBundleSize: 1,
        minPriorityFee: 0n,
        quoteValidity: 120,
        sponsorName: 'Tandem',
        tokens: [],
        tokenMarkup: 500,
        paymasterUnstakeDelay: 86_400,
      },
    ])
    expect(warnings).toEqual([])
  })

  test('the number of simulators follows the cores, from 1 to 4', () => {
    const { simulators } = load().service
    expect(simulators).toBeGreaterThanOrEqual(1)
    expect(simulators).toBeLessThanOrEqual(4)
  })

  test('what nobody gave and has no default is missing', () => {
    expect(problemsOf(() => loadConfiguration({ args: [], env: {} }))).toEqual([
      'rpcUrl is missing: give --rpc-url, TANDEM_RPC_URL, or rpcUrl in the file',
      'relayerKeys is missing: give --relayer-keys, TANDEM_RELAYER_KEYS, or relayerKeys in the file',
    ])
  })
})

test.each([
  ['0', 0],
  ['5000', 5000],
  ['none', undefined],
])("--admin-port %s puts the operator's listener on %p", (given, port) => {
  expect(load(['--admin-port', given]).service.adminPort).toBe(port)
})

test.each(['70000', '-1', 'off', '1.5'])('--admin-port=%s is none', (given) => {
  expect(problemsOf(() => load([`--admin-port=${given}`]))).toEqual([
    '--admin-port: must be an integer from 0 to 65535, or none',
  ])
})

test.each([
  ['--node-timeout', 3_600_001, 'an integer from 100 to 3600000'],
  ['--poll-interval', 2 ** 31, 'an integer from 10 to 3600000'],
  ['--block-time', 2 ** 31, 'an integer from 10 to 3600000'],
  ['--shutdown-timeout', 86_401, 'an integer from 1 to 86400'],
])('%s=%p is longer than a timer may be', (flag, given, expected) => {
  expect(problemsOf(() => load([flag, String(given)]))).toEqual([`${flag}: must be ${expected}`])
})

test('a webhook has a URL and a secret that signs it', () => {
  const [url, secret] = ['https://hooks.example/x', 'whsec']
  const { service } = load(['--webhook-url', url], { TANDEM_WEBHOOK_SECRET: secret })
  expect(service).toMatchObject({ webhookUrl: url, webhookSecret: secret })
  for (const settings of [load, (args: readonly string[]) => loadDevConfiguration({ args, env: {} })]) {
    expect(problemsOf(() => settings(['--webhook-url', url]))).toEqual([
      'webhookSecret is missing: webhookUrl needs it',
    ])
    expect(problemsOf(() => settings(['--webhook-secret', secret]))).toEqual([
      'webhookUrl is missing: webhookSecret needs it',
    ])
  }
})

describe('top-ups', () => {
  const eth = 10n ** 18n

  test('follow from minSignerBalance', () => {
    const [chain] = load(['--min-signer-balance', '1 eth']).chains
    if (chain === undefined) throw new Error('no chain')
    expect(topUpsOf(chain)).toEqual({ below: 2n * eth, to: 4n * eth, dailyLimit: 10n * eth })
  })

  test('are as given', () => {
    const flags = ['--top-up-below', '1 eth', '--top-up-to', '3 eth', '--top-up-daily-limit', '7 eth']
    const [chain] = load([...flags, '--funding-key', key('2')]).chains
    if (chain === undefined) throw new Error('no chain')
    expect(chain.fundingKey).toBe(key('2'))
    expect(topUpsOf(chain)).toEqual({ below: eth, to: 3n * eth, dailyLimit: 7n * eth })
  })

  test.each([
    [
      ['--funding-key', '1'.repeat(64)],
      'chains[0]: fundingKey is one of relayerKeys: it needs a nonce line of its own',
    ],
    [
      ['--top-up-below', '0.01 eth'],
      'chains[0]: topUpBelow must be at least minSignerBalance, or a relayer that paused is never topped up',
    ],
    [['--top-up-to', '0.2 eth'], 'chains[0]: topUpTo must be more than topUpBelow'],
  ])('%p is refused', (flags, problem) => {
    expect(problemsOf(() => load(flags))).toEqual([problem])
  })
})

describe('precedence', () => {
  test('file < environment < flags', () => {
    const file = { ...needed, port: 1, maxBatch: 1, bundleSize: 1 }
    const env = { TANDEM_PORT: '2', TANDEM_BUNDLE_SIZE: '2' }
    const { service, chains } = loadFile(file, ['--port', '3'], env)
    expect([service.maxBatch, chains[0]?.bundleSize, service.port]).toEqual([1, 2, 3])
  })

  test('an entry of chains < environment < flags', () => {
    const file = { chains: [{ ...needed, bundleSize: 1, bundleInterval: 1, reorgDepth: 1 }] }
    const env = { TANDEM_BUNDLE_SIZE: '2', TANDEM_BUNDLE_INTERVAL: '2' }
    const { chains } = loadFile(file, ['--bundle-interval', '3'], env)
    expect(chains).toMatchObject([{ reorgDepth: 1, bundleSize: 2, bundleInterval: 3 }])
  })

  test('the top level of the file is the default of every chain', () => {
    const { chains } = loadFile({
      relayerKeys: [key('1')],
      bundleSize: 7,
      chains: [{ rpcUrl: ['http://one'] }, { rpcUrl: ['http://two'], bundleSize: 8 }],
    })
    expect(chains.map(({ rpcUrl, bundleSize }) => ({ rpcUrl, bundleSize }))).toEqual([
      { rpcUrl: ['http://one'], bundleSize: 7 },
      { rpcUrl: ['http://two'], bundleSize: 8 },
    ])
  })

  test('an empty variable counts as absent', () => {
    expect(load([], { TANDEM_PORT: '' }).service.port).toBe(4337)
  })

  test('the file may be named in the environment', () => {
    const path = fileOf('named.json', JSON.stringify({ ...needed, port: 99 }))
    expect(loadConfiguration({ args: [], env: { TANDEM_CONFIG: path } }).service.port).toBe(99)
  })
})

describe('forms of values', () => {
  const chainOf = (...args: string[]) => load(args).chains[0]

  test.each([
    ['--min-stake', '1000', 1000n],
    ['--min-stake', '1000 wei', 1000n],
    ['--min-stake', '1.5 gwei', 1_500_000_000n],
    ['--min-stake', '0.1eth', 10n ** 17n],
    ['--min-stake', '0.000000000000000001 eth', 1n],
  ])('%s %s', (flag, text, wei) => {
    expect(chainOf(flag, text)?.minStake).toBe(wei)
  })

  test.each(['1.5', '0.1 ether', '-1', '1e18', '0.0000000000000000001 eth', ''])(
    'amount refused: "%s"',
    (text) => {
      expect(problemsOf(() => load([`--min-stake=${text}`]))).toEqual([
        '--min-stake: must be an amount such as "1 eth", "1.5 gwei" or "1000" (wei)',
      ])
    },
  )

  test('a list takes commas, and its flag may be repeated', () => {
    const hosts = chainOf('--hosts', 'A.example,b.example:8080', '--hosts', 'c.example')?.hosts
    expect(hosts).toEqual(['a.example', 'b.example', 'c.example'])
  })

  test('a list in the file may be a text with commas', () => {
    expect(loadFile({ ...needed, rpcUrl: 'http://one,http://two' }).chains[0]?.rpcUrl).toEqual([
      'http://one',
      'http://two',
    ])
  })

  test.each([
    [['--no-redirect-rpc', '--testing'], { redirectRpc: false, testing: true }],
    [['--redirect-rpc=false', '--testing=true'], { redirectRpc: false, testing: true }],
    [['--redirect-rpc', '--no-testing'], { redirectRpc: true, testing: false }],
  ])('booleans: %j', (args, expected) => {
    const { service, chains } = load(args)
    expect({ redirectRpc: chains[0]?.redirectRpc, testing: service.testing }).toEqual(expected)
  })

  test('a boolean leaves the next argument alone', () => {
    expect(load(['--testing', '--port', '1']).service).toMatchObject({ testing: true, port: 1 })
  })

  test('addresses get their checksum, whatever the case', () => {
    const [lower, mixed] = [
      '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
      '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
    ]
    expect(
      chainOf('--entry-points', lower, '--beneficiary', lower.toUpperCase().replace('0X', '0x')),
    ).toMatchObject({ entryPoints: [mixed], beneficiary: mixed })
  })

  test('an object is JSON in flags and environment', () => {
    const account = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789' as const
    const entities = { paymaster: [], account: [account], factory: [] }
    expect(chainOf('--whitelisted-entities', JSON.stringify(entities))?.whitelistedEntities).toEqual(entities)
  })
})

describe('names', () => {
  test.each([
    [['--prot', '1'], '--prot is not a flag of this command: did you mean --port?'],
    [['--rpcUrl', node], '--rpcUrl is not a flag of this command: did you mean --rpc-url?'],
    [['--no-port'], '--no-port is not a flag of this command: did you mean --port?'],
    [['--quite-unlike-any=1'], '--quite-unlike-any is not a flag of this command'],
    [['--once'], '--once is not a flag of this command'],
  ])('flag %j', (args, problem) => {
    expect(problemsOf(() => load(args))).toEqual([problem])
  })

  test('a TANDEM_ variable', () => {
    expect(problemsOf(() => load([], { TANDEM_BUNDLESIZE: '1', OTHER: '1' }))).toEqual([
      'TANDEM_BUNDLESIZE is not a setting: did you mean TANDEM_BUNDLE_SIZE?',
    ])
  })

  test('a share, by flag and by variable', () => {
    expect(load(['--validation-cross-check', '0.05']).chains).toMatchObject([{ validationCrossCheck: 0.05 }])
    expect(load([], { TANDEM_VALIDATION_CROSS_CHECK: '1' }).chains).toMatchObject([
      { validationCrossCheck: 1 },
    ])
  })

  test("another command's variable is passed over", () => {
    expect(load([], { TANDEM_ANVIL: '/usr/bin/anvil' }).chains).toHaveLength(1)
  })

  test('keys of the file, at both levels', () => {
    const file = { ...needed, prot: 1, chain: [], chains: [{ bundelSize: 1, port: 1 }] }
    expect(problemsOf(() => loadFile(file))).toEqual([
      'tandem.json: prot is not a setting: did you mean port?',
      'tandem.json: chain is not a setting: did you mean chains?',
      'tandem.json: chains[0].bundelSize is not a setting of a chain: did you mean bundleSize?',
      'tandem.json: chains[0].port is not a setting of a chain',
    ])
  })

  test('a key of an object', () => {
    expect(problemsOf(() => loadFile({ ...needed, whitelistedEntities: { acount: [] } }))).toEqual([
      'tandem.json: whitelistedEntities: must be an object of address lists: paymaster, account, factory',
    ])
  })
})

describe('bad values', () => {
  test('every problem of every source is named at once', () => {
    const path = fileOf('bad.json', JSON.stringify({ maxBatch: 0, chains: [{ reorgDepth: 'deep' }] }))
    const env = { TANDEM_LOG_LEVEL: 'loud', TANDEM_RELAYER_KEYS: '0x1', TANDEM_TESTING: 'yes' }
    const args = ['--config', path, '--port', '70000', '--relaying-mode', 'carrier-pigeon']
    expect(problemsOf(() => loadConfiguration({ args, env }))).toEqual([
      '--port: must be an integer from 0 to 65535',
      'TANDEM_TESTING: must be true or false',
      'TANDEM_LOG_LEVEL: must be one of: debug, info, warn, error, silent',
      'bad.json: maxBatch: must be an integer of at least 1',
      'bad.json: chains[0]: rpcUrl is missing: give --rpc-url, TANDEM_RPC_URL, or rpcUrl in the file',
      'TANDEM_RELAYER_KEYS (entry 1): must be a list of private keys (32 bytes of hex each)',
      '--relaying-mode: must be one of: classic, flashbots, merkle, kolibri',
      'bad.json: chains[0].reorgDepth: must be an integer of at least 1',
    ])
  })

  test('LIM-040: a bundle larger than any mempool takes', () => {
    expect(problemsOf(() => loadFile({ ...needed, transactionBytesCap: 262_145 }))).toEqual([
      'tandem.json: transactionBytesCap: must be an integer from 1024 to 262144',
    ])
  })

  test.each([
    [['--port'], '--port: needs a value'],
    [['--port', '--testing'], '--port: needs a value'],
    [['--port', '1', '--port', '2'], '--port: is given twice'],
    [['--no-testing=true'], '--no-testing: takes no value'],
    [['--port', '1.5'], '--port: must be an integer from 0 to 65535'],
    [['--validation-cross-check', '1.5'], '--validation-cross-check: must be a number from 0 to 1'],
    [['--validation-cross-check', '5%'], '--validation-cross-check: must be a number from 0 to 1'],
    [
      ['--rpc-url', 'localhost:8545'],
      '--rpc-url (entry 1): must be a list of different URLs (http://…, https://…, ws://…, wss://…)',
    ],
    [
      ['--rpc-url', 'http://a:b:c'],
      '--rpc-url (entry 1): must be a list of different URLs (http://…, https://…, ws://…, wss://…)',
    ],
    [['--config', '/nowhere/tandem.json'], '/nowhere/tandem.json: cannot be read'],
  ])('%j', (args, problem) => {
    expect(problemsOf(() => load(args))).toEqual([problem])
  })

  test.each([
    ['{"port": 1,}', 'broken.json: is not valid JSON'],
    ['[]', 'broken.json: must be a JSON object'],
    ['{"chains": []}', 'broken.json: chains: must be a list of objects, one a chain'],
    ['{"port": null}', 'broken.json: port: must be an integer from 0 to 65535'],
  ])('file %s', (text, problem) => {
    expect(problemsOf(() => load(['--config', fileOf('broken.json', text)]))).toEqual([problem])
  })

  test.each([key('0'), key('f')])('no private key: %s', (outOfRange) => {
    expect(problemsOf(() => load([], { TANDEM_RELAYER_KEYS: outOfRange }))).toEqual([
      'TANDEM_RELAYER_KEYS (entry 1): must be a list of private keys (32 bytes of hex each)',
    ])
  })

  test('two chains cannot be the same chain', () => {
    const chain = { ...needed, chainId: 1, hosts: ['a'] }
    expect(problemsOf(() => loadFile({ chains: [chain, { ...chain, hosts: ['A:80'] }] }))).toEqual([
      'chains[1]: chainId is that of chains[0]',
      'chains[1]: rpcUrl is that of chains[0]',
      'chains[1]: one of hosts is that of chains[0]',
    ])
  })

  test('a node cannot validate as our own EVM does', () => {
    const flags = ['--validation-engine', 'node', '--lowest-validation', 'full']
    expect(problemsOf(() => load(flags))).toEqual([
      'chains[0]: lowestValidation full needs validationEngine local: nodes validate at traced-by-node at most',
    ])
  })

  test('a bundle has room for the largest operation', () => {
    expect(problemsOf(() => load(['--transaction-bytes-cap', '10239']))).toEqual([
      'chains[0]: transactionBytesCap must be at least 2048 more than maxUserOperationSize, or the largest operations would never be bundled',
    ])
  })

  test('the same key is not two relayers', () => {
    expect(problemsOf(() => load([], { TANDEM_RELAYER_KEYS: `${key('a')},${'A'.repeat(64)}` }))).toEqual([
      'chains[0]: relayerKeys has the same key twice: two nonce lines need two keys',
    ])
  })
})

describe('secrets', () => {
  const keysOf = (args: readonly string[], env: Environment = {}) => load(args, env).chains[0]?.relayerKeys

  test('@file holds one or more entries', () => {
    const path = fileOf('keys.txt', `${key('1')}\n${key('2')}, ${'3'.repeat(64)}\n`)
    expect(keysOf(['--relayer-keys', `@${path}`])).toEqual([key('1'), key('2'), key('3')])
  })

  test('env:NAME holds one or more entries', () => {
    const env = { FIRST: key('1'), OTHERS: `${key('2')},${key('3')}` }
    expect(keysOf(['--relayer-keys', 'env:FIRST,env:OTHERS'], env)).toEqual([key('1'), key('2'), key('3')])
  })

  test('a reference in the file and in the environment', () => {
    const path = fileOf('token.txt', 'sesame\n')
    const file = { ...needed, relayerKeys: ['env:FIRST'], databaseAuthToken: `@${path}` }
    const env = { FIRST: key('2'), TANDEM_RPC_URL: 'env:NODE', NODE: 'http://node/with-a-key' }
    const { service, chains } = loadFile(file, [], env)
    expect([service.databaseAuthToken, chains[0]?.relayerKeys, chains[0]?.rpcUrl]).toEqual([
      'sesame',
      [key('2')],
      ['http://node/with-a-key'],
    ])
  })

  test('one that is not there', () => {
    expect(problemsOf(() => load(['--relayer-keys', '@/nowhere', '--rpc-url', 'env:NOTHING']))).toEqual([
      '--rpc-url: the environment variable that it names is not set',
      '--relayer-keys: the file that it names cannot be read',
    ])
  })

  test('raw on the command line they draw a warning', () => {
    const args = ['--relayer-keys', key('1'), '--rpc-url', 'http://node/v2/sesame', '--explorer-api-key', 'k']
    expect(load(args).warnings).toEqual([
      '--relayer-keys: is visible in process lists: give it as @file or env:NAME',
      '--rpc-url: is visible in process lists: give it as @file or env:NAME',
      '--explorer-api-key: is visible in process lists: give it as @file or env:NAME',
    ])
  })

  test('a URL without anything secret draws none, nor does a reference', () => {
    const args = ['--rpc-url', node, '--relayer-keys', 'env:K', '--database', 'file:./a.db']
    expect(load(args, { K: key('1') }).warnings).toEqual([])
  })

  const secret = 'c0ffee'.repeat(10)
  test.each([
    [[`--relayer-keys=${secret}`]],
    [['--relayer-keys', key('1'), secret]],
    [[`--relayer-key=${secret}`]],
    [['--relayer-kyes', secret]],
    [['--port', secret]],
    [['--rpc-url', `ftp://user:${secret}@node`]],
    [['--relayer-keys', `env:${secret}`]],
    [['--relayer-keys', `@${secret}`]],
    [['--config', fileOf('leak.json', `{"relayerKeys": ["${secret}`)]],
    [['--config', fileOf('leak2.json', `{"relayerKeys": [{"${secret}": "${secret}"}]}`)]],
    [['--whitelisted-entities', secret]],
  ])('never in a message: case %#', (args) => {
    const problems = problemsOf(() => loadConfiguration({ args, env: {} }))
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.join('\n')).not.toContain(secret)
  })
})

describe('dev', () => {
  const loadDev = (args: readonly string[], env: Environment = {}) => loadDevConfiguration({ args, env })

  test('needs nothing', () => {
    const { dev, service, chain } = loadDev([])
    expect(dev).toEqual({ once: false, chainPort: 8545 })
    expect([service.port, chain.bundleSize]).toEqual([4337, 500])
  })

  test('takes its flags and those of service and chain', () => {
    const args = ['--once', '--port', '1', '--chain-port', '2', '--anvil', '/bin/anvil', '--bundle-size', '3']
    const { dev, service, chain } = loadDev(args)
    expect(dev).toEqual({ once: true, chainPort: 2, anvil: '/bin/anvil' })
    expect([service.port, chain.bundleSize]).toEqual([1, 3])
  })

  test.each(['--rpc-url', '--relayer-keys', '--database', '--config', '--entry-points'])(
    'brings its own %s',
    (flag) => {
      expect(problemsOf(() => loadDev([flag, 'x']))[0]).toStartWith(`${flag} is not a flag of this command`)
    },
  )

  test('passes over what the environment says for serve', () => {
    expect(loadDev([], { TANDEM_RPC_URL: node, TANDEM_DATABASE: 'nonsense' }).dev.once).toBe(false)
  })
})
