import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import {
  type Address,
  encodeFunctionData,
  formatGwei,
  getAddress,
  type Hash,
  type Hex,
  numberToHex,
  parseEther,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { bundleGasLimit } from '../../src/gas/bundle-gas.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { fund, signedOperation, simpleAccount, type TestAccount } from '../support/accounts.ts'
import { sendBundle, transact } from '../support/bundles.ts'
import { catchUp } from '../support/catchUp.ts'
import { call, RpcError, send, type WireReceipt, type WireStatus, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { startExplorerStub } from '../support/explorerStub.ts'
import { startFaultyProxy } from '../support/faultyProxy.ts'
import { fleet, operation } from '../support/fleet.ts'
import { deployMulticall } from '../support/multicall.ts'
import { type OpenContracts, openContracts } from '../support/open.ts'
import { type RunningService, scratchDirectory, startService, startTandem } from '../support/service.ts'

/** ms for what starts processes or compiles contracts, however busy the machine is */
const patience = 60_000

const { address: entryPoint, abi } = entryPoints['0.7']
const [plainKey, changedKey, anotherKey] = [anvilKeys[2], anvilKeys[3], anvilKeys[0]]
const eip55 = (key: Hex) => getAddress(privateKeyToAddress(key))

let chain: DevChain
let contracts: OpenContracts
/** All fields have their defaults. */
let plain: RunningService
/** Deployed and funded, each for one test. */
let accounts: TestAccount[]

beforeAll(async () => {
  chain = await startDevChain()
  contracts = await openContracts(chain)
  accounts = await fleet(chain, '0.7', 40)
  plain = await start(['--testing'], plainKey)
  await manually(plain)
}, patience)

afterAll(async () => {
  await plain?.stop()
  await chain?.stop()
})

function start(flags: readonly string[], ...relayerKeys: readonly Hex[]): Promise<RunningService> {
  return startService({
    nodeUrl: chain.url,
    relayerKeys,
    flags: ['--poll-interval', '20', ...flags],
  })
}

const manually = (service: RunningService) => call(service.url, 'debug_bundler_setBundlingMode', 'manual')

/** A service that differs from `plain` by `flags`, as long as `task` runs; it bundles when told to. */
async function withFlags<Result>(
  flags: readonly string[],
  task: (url: string) => Promise<Result>,
): Promise<Result> {
  const service = await start(['--testing', ...flags], changedKey)
  try {
    await manually(service)
    return await task(service.url)
  } finally {
    await service.stop()
  }
}

function account(): TestAccount {
  const next = accounts.pop()
  if (next === undefined) throw new Error('no account is left')
  return next
}

const newOperation = (changes: Partial<UserOperation> = {}) => operation(chain, account(), changes)

/** The hash, or what the service says instead. */
const outcomeOf = (url: string, op: UserOperation): Promise<Hash | RpcError['error']> =>
  send(url, op).catch((error) => {
    if (error instanceof RpcError) return error.error
    throw error
  })
const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/)

const bundleNow = (url: string) => call<Hash | 'ok'>(url, 'debug_bundler_sendBundleNow')
const configOf = (url: string) => call<Record<string, unknown>>(url, 'bundler_config')
const statusOf = async (url: string, of: Hash) =>
  (await call<WireStatus>(url, 'bundler_getUserOperationStatus', of)).status

type Prices = { maxFeePerGas: Hex; maxPriorityFeePerGas: Hex }
const pricesOf = (url: string) => call<Prices>(url, 'bundler_getGasPrice')
const estimateOf = async (url: string, op: UserOperation) =>
  call<Record<string, Hex>>(url, 'eth_estimateUserOperationGas', formatUserOperation(op), entryPoint)

/** What `debug_bundler_setReputation` makes of an address that was seen so often, and never included. */
async function reputationOf(url: string, address: Address, opsSeen: number): Promise<number | undefined> {
  const entry = { address, opsSeen: numberToHex(opsSeen), opsIncluded: '0x0' }
  await call(url, 'debug_bundler_setReputation', [entry], entryPoint)
  const views = await call<{ address: Address; status: number }[]>(
    url,
    'debug_bundler_dumpReputation',
    entryPoint,
  )
  return views.find((view) => view.address === address)?.status
}
const [ok, throttled, banned] = [0, 1, 2]

/**
 * Where the effect of changing each field is shown: in a test of that file whose name begins with the field's.
 * A field that is new in the answer has to be added, with its test.
 */
const here = 'test/e2e/fields.test.ts'
const proposing = 'test/unit/bundler/propose.test.ts'
const relaying = 'test/e2e/relays.test.ts'
const shownIn: Readonly<Record<string, string>> = {
  chainId: here,
  'flags.testingMode': here,
  'flags.redirectRpc': here,
  entryPoints: here,
  beneficiary: here,
  relayers: here,
  minSignerBalance: here,
  multicall: here,
  minInclusionDenominator: here,
  throttlingSlack: here,
  banSlack: here,
  minStake: here,
  minUnstakeDelay: here,
  estimationStaticBuffer: here,
  validationGasLimit: here,
  receiptLookupRange: here,
  explorerApiKey: here,
  gasPriceMarkup: here,
  enforceGasPrice: here,
  enforceGasPriceThreshold: here,
  useropsTTL: here,
  'whitelistedEntities.paymaster': here,
  'whitelistedEntities.account': here,
  'whitelistedEntities.factory': here,
  bundleGasLimitMarkup: here,
  bundleInterval: proposing,
  bundleSize: here,
  pvgMarkup: here,
  skipBundleValidation: here,
  conditionalTransactions: relaying,
  rpcEndpointSubmit: relaying,
  eip2930: relaying,
  relayingMode: relaying,
}
describe('bundler_config', () => {
  test('has no field without a test of its effect', async () => {
    const nested = ['flags', 'whitelistedEntities']
    const config = await configOf(plain.url)
    const fields = Object.entries(config).flatMap(([name, value]) =>
      nested.includes(name) ? Object.keys(value as object).map((part) => `${name}.${part}`) : [name],
    )
    expect(fields.toSorted()).toEqual(Object.keys(shownIn).toSorted())
  })

  test.each(Object.entries(shownIn))('%s has its test in %s', async (field, file) => {
    const source = await Bun.file(`${import.meta.dir}/../../${file}`).text()
    expect(source).toMatch(new RegExp(`\\btest\\((['"\`])${field.replace('.', '\\.')}: `))
  })
})

describe('the chain and what is served', () => {
  test('chainId: nodes of another chain are not used', async () => {
    const directory = scratchDirectory()
    const run = async (chainId: string) => {
      const keys = ['--rpc-url', chain.url, '--relayer-keys', plainKey]
      const check = startTandem(['check', '--chain-id', chainId, ...keys], directory)
      return { code: await check.exited, text: check.output() }
    }
    expect(await run('31337')).toMatchObject({ code: 0 })
    const { code, text } = await run('31338')
    expect(code).not.toBe(0)
    expect(text).toContain('is of chain 31337, not 31338')
    rmSync(directory, { recursive: true, force: true })
  })

  test('flags.testingMode: the debug methods are there', async () => {
    const service = await start([], changedKey)
    const [dump, quiet] = [
      ['debug_bundler_dumpMempool', entryPoint],
      { code: -32601, message: expect.any(String) },
    ] as const
    expect(await call(plain.url, ...dump)).toEqual([])
    expect(await call(service.url, ...dump).catch(({ error }) => error)).toMatchObject(quiet)
    expect([(await configOf(plain.url)).flags, (await configOf(service.url)).flags]).toEqual([
      { testingMode: true, redirectRpc: true },
      { testingMode: false, redirectRpc: true },
    ])
    await service.stop()
  })

  describe('of a narrower service', () => {
    let narrow: RunningService
    beforeAll(async () => {
      const flags = ['--no-redirect-rpc', '--entry-points', entryPoints['0.8'].address]
      narrow = await start(flags, changedKey)
    }, patience)
    afterAll(() => narrow?.stop())

    test('flags.redirectRpc: without it the node’s methods are not passed through', async () => {
      expect(await call(plain.url, 'eth_getBalance', entryPoint, 'latest')).toMatch(/^0x/)
      const refused = call(narrow.url, 'eth_getBalance', entryPoint, 'latest').catch(({ error }) => error)
      expect(await refused).toMatchObject({ code: -32601 })
      expect((await configOf(narrow.url)).flags).toEqual({ testingMode: false, redirectRpc: false })
    })

    test('entryPoints: only these are served', async () => {
      const op = await newOperation()
      expect(await outcomeOf(plain.url, op)).toEqual(hash)
      expect(await call(narrow.url, 'eth_supportedEntryPoints')).toEqual([entryPoints['0.8'].address])
      expect(await outcomeOf(narrow.url, op)).toMatchObject({ code: -32602 })
    })
  })
})

describe('who earns and who pays', () => {
  test('beneficiary: receives what the operations pay', async () => {
    const beneficiary = '0x00000000000000000000000000000000000bEEF1'
    const balance = async () => BigInt(await rpc<Hex>(chain.url, 'eth_getBalance', [beneficiary, 'latest']))
    await send(plain.url, await newOperation())
    await bundleNow(plain.url)
    expect(await balance()).toBe(0n)
    await withFlags(['--beneficiary', beneficiary], async (url) => {
      const operationHash = await send(url, await newOperation())
      await bundleNow(url)
      const receipt = await call<WireReceipt & { actualGasCost: Hex }>(
        url,
        'eth_getUserOperationReceipt',
        operationHash,
      )
      expect(await balance()).toBe(BigInt(receipt.actualGasCost))
    })
  })

  test('relayers: each can have a bundle of its own under way', async () => {
    const service = await start(['--testing'], changedKey, anotherKey)
    const [first, second] = [await newOperation(), await newOperation()]
    const watch = await watchStates(service.url, [first.sender, second.sender])
    await rpc(chain.url, 'evm_setAutomine', [false])
    const hashes = [await send(service.url, first)]
    await watch.all(hashes, 'submitted')
    hashes.push(await send(service.url, second))
    await watch.all(hashes, 'submitted')
    await rpc(chain.url, 'anvil_mine', [1])
    await rpc(chain.url, 'evm_setAutomine', [true])
    await watch.all(hashes, 'included')
    watch.close()
    const senders = await Promise.all(
      hashes.map(async (one) => {
        const { receipt } = await call<{ receipt: { from: Address } }>(
          service.url,
          'eth_getUserOperationReceipt',
          one,
        )
        return getAddress(receipt.from)
      }),
    )
    const relayers = [eip55(changedKey), eip55(anotherKey)]
    expect((await configOf(service.url)).relayers).toEqual(relayers)
    expect(senders.toSorted()).toEqual(relayers.toSorted())
    expect((await configOf(plain.url)).relayers).toEqual([eip55(plainKey)])
    await service.stop()
  })
})

describe("the relayers' money", () => {
  const relayers = [changedKey, anotherKey].map((key) => privateKeyToAddress(key))
  const fundRelayers = (wei: bigint) => Promise.all(relayers.map((relayer) => fund(chain, relayer, wei)))
  afterAll(() => fundRelayers(parseEther('1000')))

  test('minSignerBalance: a relayer with less sends nothing', async () => {
    const outcome = async (url: string) => {
      const operationHash = await send(url, await newOperation())
      await bundleNow(url)
      return statusOf(url, operationHash)
    }
    await fundRelayers(parseEther('0.15'))
    expect(await withFlags(['--min-signer-balance', '0.2 eth'], outcome)).toBe('pending')
    expect(await withFlags([], outcome)).toBe('included')
  })

  test('multicall: balances are read together where it has code', async () => {
    /** How often the node is asked for a single balance in a block; those of poor relayers are looked at in each. */
    const readsOf = async (flags: readonly string[]) => {
      const node = startFaultyProxy(chain.url)
      const service = await startService({
        nodeUrl: node.url,
        relayerKeys: [changedKey, anotherKey],
        // Our own EVM reads balances too.
        flags: ['--poll-interval', '20', '--validation-engine', 'node', ...flags],
      })
      node.calls.clear()
      await rpc(chain.url, 'anvil_mine', [1])
      await catchUp(service.url, chain)
      await service.stop()
      await node.stop()
      return node.calls.get('eth_getBalance') ?? 0
    }
    const multicall = await deployMulticall(chain)
    await fundRelayers(parseEther('0.05'))
    expect(await readsOf([])).toBeGreaterThan(1)
    expect(await readsOf(['--multicall', multicall])).toBe(0)
  })
})

describe('reputation and stake', () => {
  const someone = getAddress('0x00000000000000000000000000000000000beef2')

  test('minInclusionDenominator: one in so many must be included', async () => {
    expect(await reputationOf(plain.url, someone, 110)).toBe(throttled)
    await withFlags(['--min-inclusion-denominator', '20'], async (url) => {
      expect(await reputationOf(url, someone, 110)).toBe(ok)
      expect(await reputationOf(url, someone, 220)).toBe(throttled)
    })
  })

  test('throttlingSlack: so many inclusions may be missing before an entity is throttled', async () => {
    expect(await reputationOf(plain.url, someone, 109)).toBe(ok)
    await withFlags(['--throttling-slack', '9'], async (url) => {
      expect(await reputationOf(url, someone, 109)).toBe(throttled)
    })
  })

  test('banSlack: so many before it is banned, and its operations are refused', async () => {
    const op = await newOperation()
    expect(await reputationOf(plain.url, op.sender, 300)).toBe(throttled)
    expect(await outcomeOf(plain.url, op)).toEqual(hash)
    await withFlags(['--ban-slack', '29'], async (url) => {
      expect(await reputationOf(url, op.sender, 300)).toBe(banned)
      expect(await outcomeOf(url, op)).toMatchObject({ code: -32504 })
    })
  })

  /** Five operations of one account with 1 eth staked for a day; an unstaked sender may have four. */
  async function fiveOfStaked(): Promise<UserOperation[]> {
    const staked = account()
    const data = encodeFunctionData({ abi, functionName: 'addStake', args: [86_400] })
    await fund(chain, staked.address, parseEther('5'))
    await transact(chain, entryPoint, data, { value: parseEther('1'), as: staked.address })
    const keys = [1n, 2n, 3n, 4n, 5n]
    return Promise.all(keys.map((key) => operation(chain, staked, { nonce: key << 64n })))
  }
  async function fifthOutcome(url: string, ops: readonly UserOperation[]) {
    const outcomes = []
    for (const op of ops) outcomes.push(await outcomeOf(url, op))
    expect(outcomes.slice(0, 4)).toEqual([hash, hash, hash, hash])
    return outcomes[4]
  }

  test('minStake: what a staked entity has to have', async () => {
    const ops = await fiveOfStaked()
    expect(await fifthOutcome(plain.url, ops)).toEqual(hash)
    await withFlags(['--min-stake', '1.5 eth'], async (url) => {
      expect(await fifthOutcome(url, ops)).toMatchObject({
        code: -32505,
        data: { minimumStake: numberToHex(parseEther('1.5')) },
      })
    })
  })

  test('minUnstakeDelay: for how long a staked entity has to have it', async () => {
    const ops = await fiveOfStaked()
    expect(await fifthOutcome(plain.url, ops)).toEqual(hash)
    await withFlags(['--min-unstake-delay', '86401'], async (url) => {
      expect(await fifthOutcome(url, ops)).toMatchObject({
        code: -32505,
        data: { minimumUnstakeDelay: numberToHex(86_401) },
      })
    })
  })

  describe('whitelisted', () => {
    let vouching: RunningService
    let own: TestAccount
    let fresh: TestAccount
    let paymaster: Address
    beforeAll(async () => {
      own = account()
      fresh = await simpleAccount(chain, '0.7')
      await fund(chain, fresh.address)
      paymaster = await contracts.paymaster('0.7', parseEther('1'))
      const lists = { paymaster: [paymaster], account: [own.address], factory: [fresh.factory] }
      const flags = ['--testing', `--whitelisted-entities=${JSON.stringify(lists)}`]
      vouching = await start(flags, changedKey)
      await manually(vouching)
    }, patience)
    afterAll(() => vouching?.stop())

    /** What comes of an operation of an entity that would be banned by its record: here, and where it is whitelisted. */
    async function outcomes(entity: Address, op: UserOperation) {
      const here = [await reputationOf(plain.url, entity, 10_000), await outcomeOf(plain.url, op)]
      await call(plain.url, 'debug_bundler_clearReputation')
      return [...here, await reputationOf(vouching.url, entity, 10_000), await outcomeOf(vouching.url, op)]
    }
    const refused = expect.objectContaining({ code: -32504 })

    test('whitelistedEntities.account: is never banned', async () => {
      const op = await operation(chain, own)
      expect(await outcomes(own.address, op)).toEqual([banned, refused, ok, hash])
    })

    test('whitelistedEntities.paymaster: is never banned', async () => {
      const limits = { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 50_000n }
      const op = await newOperation({ paymaster, ...limits })
      expect(await outcomes(getAddress(paymaster), op)).toEqual([banned, refused, ok, hash])
    })

    test('whitelistedEntities.factory: is never banned', async () => {
      const op = await signedOperation(chain, fresh)
      expect(await outcomes(fresh.factory, op)).toEqual([banned, refused, ok, hash])
    })
  })
})

describe('gas', () => {
  let generous: RunningService
  beforeAll(async () => {
    const estimates = ['--estimation-static-buffer', '12345', '--pvg-markup', '5000']
    const limits = ['--validation-gas-limit', '489999', '--bundle-gas-limit-markup', '77777']
    generous = await start(['--testing', ...estimates, ...limits], changedKey)
    await manually(generous)
  }, patience)
  afterAll(() => generous?.stop())

  /** By how much the service with other settings asks for more. */
  async function difference(field: string): Promise<number> {
    const op = await newOperation()
    const [before, after] = [await estimateOf(plain.url, op), await estimateOf(generous.url, op)]
    return Number(BigInt(after[field] ?? 0) - BigInt(before[field] ?? 0))
  }

  test('estimationStaticBuffer: is added to an estimated callGasLimit', async () => {
    expect(await difference('callGasLimit')).toBe(12_345)
  })

  test('pvgMarkup: is added to the preVerificationGas that is asked for', async () => {
    // The bytes of a larger value may cost a little more themselves.
    expect(await difference('preVerificationGas')).toBeWithin(5000, 5100)
    const { preVerificationGas } = await estimateOf(plain.url, await newOperation())
    const op = await newOperation({ preVerificationGas: BigInt(preVerificationGas ?? 0) + 4000n })
    expect(await outcomeOf(plain.url, op)).toEqual(hash)
    expect(await outcomeOf(generous.url, op)).toMatchObject({
      code: -32602,
      data: { path: 'params[0].preVerificationGas' },
    })
  })

  test('validationGasLimit: more verification gas is not taken', async () => {
    const op = await newOperation({ verificationGasLimit: 495_000n })
    expect(await outcomeOf(plain.url, op)).toEqual(hash)
    expect(await outcomeOf(generous.url, op)).toEqual({
      code: -32602,
      message: 'verificationGasLimit must be at most 489999',
      data: { path: 'params[0].verificationGasLimit', atMost: numberToHex(489_999) },
    })
  })

  test('bundleGasLimitMarkup: is added to what a bundle needs', async () => {
    const gasOver = async ({ url }: RunningService, key: Hex) => {
      await call(url, 'debug_bundler_clearState')
      const op = await newOperation()
      await send(url, op)
      const { gas } = await rpc<{ gas: Hex }>(chain.url, 'eth_getTransactionByHash', [await bundleNow(url)])
      return BigInt(gas) - bundleGasLimit('0.7', [op], privateKeyToAddress(key), { eip7623: true })
    }
    expect(await gasOver(plain, plainKey)).toBe(0n)
    expect(await gasOver(generous, changedKey)).toBe(77_777n)
  })
})

describe('fees', () => {
  test('gasPriceMarkup: is added to the recommended fees', async () => {
    const times = (fee: Hex) => numberToHex((BigInt(fee) * 12_500n) / 10_000n)
    await withFlags(['--gas-price-markup', '2500'], async (url) => {
      await call(plain.url, 'debug_bundler_clearState')
      const { maxFeePerGas, maxPriorityFeePerGas } = await pricesOf(plain.url)
      expect(await pricesOf(url)).toEqual({
        maxFeePerGas: times(maxFeePerGas),
        maxPriorityFeePerGas: times(maxPriorityFeePerGas),
      })
    })
  })

  /** An operation that offers so many basis points of the recommended fees. */
  async function offering(share: bigint): Promise<UserOperation> {
    const { maxFeePerGas, maxPriorityFeePerGas } = await pricesOf(plain.url)
    const part = (fee: Hex) => (BigInt(fee) * share) / 10_000n
    return newOperation({
      maxFeePerGas: part(maxFeePerGas),
      maxPriorityFeePerGas: part(maxPriorityFeePerGas),
    })
  }

  test('enforceGasPrice: operations that offer less are refused', async () => {
    const op = await offering(8_000n)
    expect(await outcomeOf(plain.url, op)).toEqual(hash)
    await withFlags(['--enforce-gas-price'], async (url) => {
      expect(await outcomeOf(url, op)).toMatchObject({
        code: -32602,
        data: { path: 'params[0].maxFeePerGas' },
      })
      expect(await outcomeOf(url, await offering(9_500n))).toEqual(hash)
    })
  })

  test('enforceGasPriceThreshold: how much less is still taken', async () => {
    const op = await offering(8_000n)
    await withFlags(['--enforce-gas-price', '--enforce-gas-price-threshold', '2500'], async (url) => {
      expect(await outcomeOf(url, op)).toEqual(hash)
      expect(await outcomeOf(url, await offering(7_000n))).toMatchObject({ code: -32602 })
    })
  })
})

describe('history', () => {
  /** An operation that somebody else's bundle includes, ten blocks before the newest. */
  async function oldOperation(): Promise<Hash> {
    const op = await newOperation()
    const [log] = await eventsWhile(() => sendBundle(chain, [op]))
    await rpc(chain.url, 'anvil_mine', ['0xa'])
    return log?.topics[1] as Hash
  }

  type Log = { address: string; topics: Hex[]; transactionHash: string; blockNumber: string }
  async function eventsWhile(task: () => Promise<unknown>): Promise<Log[]> {
    const fromBlock = await rpc<Hex>(chain.url, 'eth_blockNumber')
    await task()
    const logs = await logsOf(numberToHex(Number(fromBlock) + 1))
    return logs.filter(({ topics }) => topics.length === 4)
  }
  const logsOf = (fromBlock: Hex) =>
    rpc<Log[]>(chain.url, 'eth_getLogs', [{ fromBlock, toBlock: 'latest', address: entryPoint }])

  const receiptOf = (url: string, of: Hash) => call(url, 'eth_getUserOperationReceipt', of)

  test('receiptLookupRange: how far back is searched, and the widest fee history', async () => {
    const old = await oldOperation()
    await withFlags(['--receipt-lookup-range', '20'], async (url) => {
      expect(await receiptOf(url, old)).toMatchObject({ userOpHash: old, success: true })
      expect(await call(url, 'bundler_feeHistory', entryPoint, 20, 'latest')).toBeDefined()
    })
    await withFlags(['--receipt-lookup-range', '5'], async (url) => {
      expect(await receiptOf(url, old)).toBeNull()
      const wide = call(url, 'bundler_feeHistory', entryPoint, 20, 'latest')
      expect(await wide.catch(({ error }) => error)).toMatchObject({ code: -32602, data: { maximum: 5 } })
    })
  })

  test('explorerApiKey: an explorer is asked for fees, and for what is older than that', async () => {
    const explorer = startExplorerStub()
    const old = await oldOperation()
    explorer.logs = await logsOf('0x0')
    const { baseFeePerGas } = await rpc<{ baseFeePerGas: Hex[] }>(chain.url, 'eth_feeHistory', [
      '0x1',
      'latest',
      [],
    ])
    const baseFee = BigInt(baseFeePerGas.at(-1) ?? 0)
    explorer.gas = { ProposeGasPrice: formatGwei(3n * baseFee), suggestBaseFee: formatGwei(baseFee) }
    const flags = ['--explorer-url', explorer.url, '--explorer-api-key', 'SECRETKEY']
    const service = await start(['--receipt-lookup-range', '5', ...flags], changedKey)
    expect(await configOf(service.url)).toMatchObject({ explorerApiKey: true })

    expect(await receiptOf(service.url, old)).toMatchObject({ userOpHash: old, success: true })
    expect(await call(service.url, 'eth_getUserOperationByHash', old)).toMatchObject({ entryPoint })
    expect(BigInt((await pricesOf(service.url)).maxPriorityFeePerGas)).toBe(2n * baseFee)
    const asked = explorer.queries.map(({ chainid, apikey, action }) => ({ chainid, apikey, action }))
    const access = { chainid: '31337', apikey: 'SECRETKEY' }
    expect(asked).toContainEqual({ ...access, action: 'gasoracle' })
    expect(asked).toContainEqual({ ...access, action: 'getLogs' })
    expect(service.log() + service.output()).not.toContain('SECRETKEY')

    explorer.mode = 'rate-limited'
    const unknown = `0x${'ab'.repeat(32)}`
    expect(await call(service.url, 'eth_getUserOperationReceipt', unknown)).toBeNull()
    await service.stop()
    expect(service.log()).toContain('Max rate limit reached')
    expect(service.log()).not.toContain('SECRETKEY')
    await explorer.stop()
  })
})

describe('bundling', () => {
  test('useropsTTL: after it an operation may be replaced without a fee bump', async () => {
    const owner = account()
    const first = await operation(chain, owner)
    const second = await operation(chain, owner, { callData: '0x' })
    expect(await outcomeOf(plain.url, first)).toEqual(hash)
    expect(await outcomeOf(plain.url, second)).toMatchObject({ code: -32602 })
    await withFlags(['--userops-ttl', '0'], async (url) => {
      const replaced = await send(url, first)
      expect(await outcomeOf(url, second)).toEqual(hash)
      expect(await statusOf(url, replaced)).toBe('replaced')
    })
  })

  test('bundleSize: more operations wait for the next bundle', async () => {
    const ops = [await newOperation(), await newOperation(), await newOperation()]
    await call(plain.url, 'debug_bundler_clearState')
    const included = async (url: string) => {
      const hashes = await Promise.all(ops.map((op) => send(url, op)))
      await bundleNow(url)
      const states = await Promise.all(hashes.map((one) => statusOf(url, one)))
      return states.toSorted()
    }
    await withFlags(['--bundle-size', '2'], async (url) => {
      expect(await included(url)).toEqual(['included', 'included', 'pending'])
    })
    ops.splice(0, 3, await newOperation(), await newOperation(), await newOperation())
    expect(await included(plain.url)).toEqual(['included', 'included', 'included'])
  })

  test('skipBundleValidation: a bundle may revert, and the operator is warned at the start', async () => {
    /** Includes an operation whose account has lost its money since it was judged. */
    const bundlePoor = async (url: string) => {
      await call(url, 'debug_bundler_clearState')
      const op = await newOperation()
      const operationHash = await send(url, op)
      await fund(chain, op.sender, 0n)
      await rpc(chain.url, 'evm_mine')
      return { transaction: await bundleNow(url), status: await statusOf(url, operationHash) }
    }
    expect(await bundlePoor(plain.url)).toEqual({ transaction: 'ok', status: 'dropped' })
    const service = await start(['--testing', '--skip-bundle-validation'], changedKey)
    await manually(service)
    const { transaction } = await bundlePoor(service.url)
    expect(await rpc(chain.url, 'eth_getTransactionReceipt', [transaction])).toMatchObject({ status: '0x0' })
    await service.stop()
    expect(service.log()).toContain('bundles are sent without the check of the whole')
    expect(plain.log()).not.toContain('bundles are sent without the check of the whole')
  })
})
