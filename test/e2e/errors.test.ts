import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, getAddress, type Hash, type Hex, numberToHex, parseEther } from 'viem'
import type { ErrorWire } from '../../src/base/errors.ts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { requiredPrefund } from '../../src/types/userop-cost.ts'
import { execute, fund, signedOperation, simpleAccount, type TestAccount } from '../support/accounts.ts'
import { deployAccount } from '../support/bundles.ts'
import { catchUp } from '../support/catchUp.ts'
import { call, RpcError, type StateWatch, send, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { badFactories, create, type Factories } from '../support/factories.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faultyProxy.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type OpenContracts, openContracts } from '../support/open.ts'
import { type RunningService, startService } from '../support/service.ts'
import { validBetween } from '../support/timeRange.ts'

const bytes = expect.stringMatching(/^0x([0-9a-f]{2})*$/)
const hint = expect.any(String)
const served = [entryPoints['0.8'].address, entryPoints['0.7'].address, entryPoints['0.6'].address]

/** ms for what starts processes or compiles contracts, however busy the machine is */
const patience = 60_000

let chain: DevChain
let contracts: OpenContracts
let factories: Factories
let reverter: Address
let service: RunningService
/** Deployed before the service started, so that it knows them; taken one by one. */
const deployed = { '0.6': [], '0.7': [], '0.8': [] } as Record<EntryPointVersion, TestAccount[]>
/** The first nonce of these is used. */
const used = {} as Record<EntryPointVersion, TestAccount>

beforeAll(async () => {
  chain = await startDevChain()
  for (const version of entryPointVersions) {
    deployed[version] = await fleet(chain, version, 4)
    used[version] = await simpleAccount(chain, version)
    await deployAccount(chain, used[version])
  }
  contracts = await openContracts(chain)
  factories = await badFactories(chain)
  reverter = await contracts.deploy('Reverter')
  const flags = ['--testing', '--max-pool-size', '6']
  service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[2]], flags })
  await call(service.url, 'debug_bundler_setBundlingMode', 'manual')
}, patience)

afterAll(async () => {
  watch?.close()
  await service?.stop()
  await cutOff?.stop()
  await proxy?.stop()
  await chain?.stop()
})

afterEach(() => call(service.url, 'debug_bundler_clearState'))

/** The error that a call is answered with; `undefined` when it succeeds. */
const errorOf = (answer: Promise<unknown>): Promise<ErrorWire | undefined> =>
  answer.then(
    () => undefined,
    (error) => {
      if (error instanceof RpcError) return error.error as ErrorWire
      throw error
    },
  )

/** What the operation is about may have been mined just now. */
async function refusal(op: UserOperation): Promise<ErrorWire | undefined> {
  await catchUp(service.url, chain)
  return errorOf(send(service.url, op))
}

async function estimation(op: UserOperation): Promise<ErrorWire | undefined> {
  await catchUp(service.url, chain)
  const { address } = entryPoints[op.version]
  return errorOf(call(service.url, 'eth_estimateUserOperationGas', formatUserOperation(op), address))
}

async function fundedAccount(version: EntryPointVersion): Promise<TestAccount> {
  const account = await simpleAccount(chain, version)
  await fund(chain, account.address)
  return account
}

function deployedAccount(version: EntryPointVersion): TestAccount {
  const account = deployed[version].pop()
  if (account === undefined) throw new Error('more accounts are needed')
  return account
}

/** What an operation says of its paymaster. */
const sponsored = (version: EntryPointVersion, paymaster: Address): Partial<UserOperation> => ({
  paymaster: getAddress(paymaster),
  ...(version === '0.6' ? {} : { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 50_000n }),
})

async function timestamp(): Promise<number> {
  const { timestamp } = await rpc<{ timestamp: Hex }>(chain.url, 'eth_getBlockByNumber', ['latest', false])
  return Number(timestamp)
}

/** A service of its own, whose node can be taken away. What takes time to show is looked at by the last test. */
let proxy: FaultyProxy
let cutOff: RunningService
let waiting: readonly Hash[]
let watch: StateWatch

describe('-32603: its node goes away', () => {
  beforeAll(async () => {
    proxy = startFaultyProxy(chain.url)
    const options = { nodeUrl: proxy.url, relayerKeys: [anvilKeys[3]], flags: ['--testing'] }
    cutOff = await startService(options)
    await call(cutOff.url, 'debug_bundler_setBundlingMode', 'manual')
    const ops = await Promise.all(
      entryPointVersions.map((version) => operation(chain, deployedAccount(version))),
    )
    waiting = await Promise.all(ops.map((op) => send(cutOff.url, op)))
    watch = await watchStates(
      cutOff.url,
      ops.map(({ sender }) => sender),
    )
    proxy.mode = 'down'
  }, patience)

  const statesOf = () =>
    Promise.all(waiting.map((hash) => call(cutOff.url, 'bundler_getUserOperationStatus', hash)))

  test('what needs the node is answered with a log id and nothing else; the log has the cause', async () => {
    const op = await contracts.operation('0.7')
    const { address } = entryPoints['0.7']
    for (const [method, ...params] of [
      ['eth_sendUserOperation', formatUserOperation(op), address],
      ['eth_estimateUserOperationGas', formatUserOperation(op), address],
      ['eth_blockNumber'],
      ['debug_bundler_getStakeStatus', op.sender, address],
    ] as const) {
      const error = await errorOf(call(cutOff.url, method, ...params))
      const logId = String(error?.data?.logId)
      expect(error).toEqual({ code: -32603, message: 'Internal error', data: { logId } })
      const lines = cutOff
        .log()
        .split('\n')
        .filter((line) => line.includes(logId))
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ method, error: expect.any(String) }])
    }
  })

  test('what needs no node is served, and nothing is rejected', async () => {
    expect(await call(cutOff.url, 'eth_supportedEntryPoints')).toEqual(served)
    expect(await call(cutOff.url, 'debug_bundler_sendBundleNow')).toBe('ok')
    expect(await statesOf()).toMatchObject(Array(waiting.length).fill({ status: 'pending' }))
  })
})

/** An estimate needs neither the money of the sender nor a valid signature. */
const onlyWhenSent: ReadonlySet<string> = new Set(['AA21', 'AA24', 'AA34'])

describe.each(entryPointVersions)('EntryPoint %s rejects', (version) => {
  type Row = {
    name: string
    op: () => Promise<UserOperation>
    error: (op: UserOperation) => ErrorWire
  }
  const byEntryPoint =
    (
      code: number,
      message: string,
      entity: 'account' | 'factory' | 'paymaster',
      further: ErrorWire['data'] = {},
    ): Row['error'] =>
    (op) => {
      const address =
        { account: getAddress(op.sender), factory: op.factory, paymaster: op.paymaster }[entity] ?? null
      const named = entity === 'paymaster' ? { paymaster: address } : {}
      const data = {
        aaCode: message.slice(0, 4),
        entity,
        address,
        ...named,
        revertData: bytes,
        hint,
        ...further,
      }
      return { code, message, data }
    }
  const because = (text: string) => ({ revert: { raw: bytes, name: 'Error', args: [text] } })

  const rows: Row[] = [
    {
      name: 'AA10: the sender is deployed already',
      op: () => signedOperation(chain, deployedAccount(version)),
      error: byEntryPoint(-32500, 'AA10 sender already constructed', 'factory'),
    },
    {
      name: 'AA13: the factory reverts',
      op: async () => {
        const account = await fundedAccount(version)
        const factory = getAddress(factories.RefusingFactory)
        return signedOperation(chain, account, { factory, factoryData: create(account.address) })
      },
      error: byEntryPoint(-32500, 'AA13 initCode failed or OOG', 'factory'),
    },
    {
      name: 'AA14: the factory makes another account',
      op: async () => {
        const [account, other] = [await fundedAccount(version), await simpleAccount(chain, version)]
        return signedOperation(chain, account, { factoryData: other.factoryData })
      },
      error: byEntryPoint(-32500, 'AA14 initCode must return sender', 'factory'),
    },
    {
      name: 'AA15: the factory makes nothing',
      op: async () => {
        const account = await fundedAccount(version)
        const factory = getAddress(factories.EmptyFactory)
        return signedOperation(chain, account, { factory, factoryData: create(account.address) })
      },
      error: byEntryPoint(-32500, 'AA15 initCode must create sender', 'factory'),
    },
    {
      name: 'AA20: the sender has no code',
      op: async () => operation(chain, await fundedAccount(version)),
      error: byEntryPoint(-32500, 'AA20 account not deployed', 'account'),
    },
    {
      name: 'AA21: the sender has no money',
      op: async () => signedOperation(chain, await simpleAccount(chain, version)),
      error: byEntryPoint(-32500, "AA21 didn't pay prefund", 'account'),
    },
    {
      name: 'AA23: the account reverts',
      op: () => contracts.operation(version, {}, { refusal: 'not for you' }),
      error: byEntryPoint(
        -32500,
        'AA23 reverted: not for you',
        'account',
        version === '0.6' ? {} : because('not for you'),
      ),
    },
    {
      name: 'AA25: the nonce is used',
      op: () => operation(chain, used[version]),
      error: byEntryPoint(-32500, 'AA25 invalid account nonce', 'account'),
    },
    {
      name: 'AA30: the paymaster has no code',
      op: () =>
        contracts.operation(version, sponsored(version, '0x00000000000000000000000000000000000000aA')),
      error: byEntryPoint(-32501, 'AA30 paymaster not deployed', 'paymaster'),
    },
    {
      name: 'AA33: the paymaster reverts',
      op: async () => {
        const settings = { refusal: 'not on the list' }
        const paymaster = await contracts.paymaster(version, parseEther('1'), settings)
        return contracts.operation(version, sponsored(version, paymaster))
      },
      error: byEntryPoint(
        -32501,
        'AA33 reverted: not on the list',
        'paymaster',
        version === '0.6' ? {} : because('not on the list'),
      ),
    },
    {
      name: 'AA24: the account does not accept the signature',
      op: async () => {
        const op = await signedOperation(chain, await fundedAccount(version))
        return { ...op, callGasLimit: op.callGasLimit + 1n }
      },
      error: byEntryPoint(-32507, 'AA24 signature error', 'account'),
    },
    {
      name: 'AA34: the paymaster does not accept its signature',
      op: async () => {
        const paymaster = await contracts.paymaster(version, parseEther('1'), { answer: 1n })
        return contracts.operation(version, sponsored(version, paymaster))
      },
      error: byEntryPoint(-32507, 'AA34 signature error', 'paymaster'),
    },
    {
      name: "AA31: the paymaster's deposit is too low",
      op: async () => {
        const paymaster = await contracts.paymaster(version, 1n)
        return contracts.operation(version, sponsored(version, paymaster))
      },
      error: byEntryPoint(-32508, 'AA31 paymaster deposit too low', 'paymaster'),
    },
  ]

  for (const { name, op, error } of rows) {
    test(name, async () => {
      const made = await op()
      expect(await refusal(made)).toEqual(error(made))
      if (!onlyWhenSent.has(name.slice(0, 4))) expect(await estimation(made)).toEqual(error(made))
    })
  }

  test('-32503: the account expired, is not due yet, or expires too soon', async () => {
    const now = await timestamp()
    for (const [validAfter, validUntil, message] of [
      [1, now - 60, 'AA22 expired or not due'],
      [now + 3600, now + 7200, 'AA22 expired or not due'],
      [1, now + 15, 'AA22 expires too soon'],
    ] as const) {
      const op = await contracts.operation(version, {}, { answer: validBetween(validAfter, validUntil) })
      const data = {
        aaCode: 'AA22',
        entity: 'account',
        address: getAddress(op.sender),
        validAfter,
        validUntil,
        hint,
      }
      expect(await refusal(op)).toEqual({ code: -32503, message, data: data as ErrorWire['data'] })
    }
  })

  test('-32503: the paymaster expired, or is not due yet', async () => {
    const now = await timestamp()
    for (const [validAfter, validUntil] of [
      [1, now - 60],
      [now + 3600, now + 7200],
    ] as const) {
      const answer = validBetween(validAfter, validUntil)
      const paymaster = getAddress(await contracts.paymaster(version, parseEther('1'), { answer }))
      const op = await contracts.operation(version, sponsored(version, paymaster))
      const blamed = { entity: 'paymaster', address: paymaster, paymaster }
      const data = { aaCode: 'AA32', ...blamed, validAfter, validUntil, hint }
      const message = 'AA32 paymaster expired or not due'
      expect(await refusal(op)).toEqual({ code: -32503, message, data: data as ErrorWire['data'] })
    }
  })

  test('-32506: an aggregator', async () => {
    const aggregator = getAddress('0x00000000000000000000000000000000000000a9')
    const op = await contracts.operation(version, {}, { answer: BigInt(aggregator) })
    const error = {
      code: -32506,
      message: `signature aggregator ${aggregator} is not supported`,
      data: { entity: 'aggregator', address: aggregator, aggregator },
    }
    expect(await refusal(op)).toEqual(error)
    expect(await estimation(op)).toEqual(error)
  })

  test('-32521: what is called reverts; the estimate says why', async () => {
    const account = deployedAccount(version)
    for (const [name, args, message, revert] of [
      ['withReason', [], 'not today', { raw: bytes, name: 'Error', args: ['not today'] }],
      ['withPanic', [0n], 'panic: division by zero (0x12)', { raw: bytes, name: 'Panic', args: ['0x12'] }],
      [
        'withCustomError',
        [],
        expect.stringMatching(/^reverted with 0x/),
        { raw: bytes, name: null, args: [] },
      ],
      ['withoutReason', [], 'reverted without a reason', { raw: '0x', name: null, args: [] }],
    ] as const) {
      const callData = execute(reverter, 0n, contracts.call('Reverter', name, args))
      const op = await operation(chain, account, { callData })
      const error = await estimation(op)
      const data = { entity: 'account', address: op.sender, revertData: bytes, revert }
      expect(error).toEqual({ code: -32521, message, data } as unknown as ErrorWire)
      expect(error?.data?.revert).toMatchObject({ raw: error?.data?.revertData ?? null })
    }
  })
})

describe('the mempool refuses', () => {
  const entryPoint = entryPoints['0.7'].address
  const settle = (entries: { address: Address; opsSeen: number; opsIncluded: number }[]) =>
    call(service.url, 'debug_bundler_setReputation', entries, entryPoint)

  test('-32502: a paymaster that is a sender here (STO-040)', async () => {
    const first = await signedOperation(chain, await fundedAccount('0.7'))
    await send(service.url, first)
    const op = await contracts.operation('0.7', sponsored('0.7', first.sender))
    expect(await refusal(op)).toEqual({
      code: -32502,
      message: `paymaster ${first.sender} is the account of another operation in the mempool`,
      data: { rule: 'STO-040', entity: 'paymaster', address: first.sender, hint },
    })
  })

  test("-32502: a sender that is another's paymaster here (STO-040)", async () => {
    const paymaster = getAddress(await contracts.paymaster('0.7', parseEther('1')))
    await send(service.url, await contracts.operation('0.7', sponsored('0.7', paymaster)))
    const op = { ...(await contracts.operation('0.7')), sender: paymaster }
    expect(await refusal(op)).toEqual({
      code: -32502,
      message: `account ${paymaster} is an entity of another operation in the mempool`,
      data: { rule: 'STO-040', entity: 'account', address: paymaster, hint },
    })
  })

  test('-32504: banned senders, factories and paymasters', async () => {
    const paymaster = getAddress(await contracts.paymaster('0.7', parseEther('1')))
    const op = await signedOperation(chain, await fundedAccount('0.7'), sponsored('0.7', paymaster))
    for (const [entity, address] of [
      ['account', op.sender],
      ['factory', getAddress(op.factory ?? '0x')],
      ['paymaster', paymaster],
    ] as const) {
      await settle([{ address, opsSeen: 10_000, opsIncluded: 1 }])
      expect(await refusal(op)).toEqual({
        code: -32504,
        message: `${entity} ${address} is banned`,
        data: { entity, address, hint },
      })
      await call(service.url, 'debug_bundler_clearReputation')
    }
    expect(await refusal(op)).toBeUndefined()
  })

  test('-32504: the fifth operation of a throttled paymaster', async () => {
    const address = getAddress(await contracts.paymaster('0.7', parseEther('1')))
    await settle([{ address, opsSeen: 200, opsIncluded: 1 }])
    const next = () => contracts.operation('0.7', sponsored('0.7', address))
    for (let count = 0; count < 4; count++) expect(await refusal(await next())).toBeUndefined()
    expect(await refusal(await next())).toEqual({
      code: -32504,
      message: `paymaster ${address} is throttled`,
      data: { entity: 'paymaster', address, hint },
    })
  })

  test('-32505: the fifth operation of an unstaked sender', async () => {
    const account = deployedAccount('0.7')
    const at = (nonce: bigint) => operation(chain, account, { nonce })
    for (let nonce = 0n; nonce < 4n; nonce++) expect(await refusal(await at(nonce))).toBeUndefined()
    expect(await refusal(await at(4n))).toEqual({
      code: -32505,
      message: 'an unstaked sender may have 4 operations in the mempool',
      data: {
        ...{ entity: 'account', address: account.address },
        ...{ minimumStake: numberToHex(parseEther('1')), minimumUnstakeDelay: numberToHex(86_400) },
        hint,
      },
    })
  })

  test("-32508: a deposit that covers one of a paymaster's operations and not two", async () => {
    const template = await contracts.operation('0.7', sponsored('0.7', factories.EmptyFactory))
    const cost = requiredPrefund(template)
    const paymaster = getAddress(await contracts.paymaster('0.7', cost + 1n))
    await send(service.url, { ...template, paymaster })
    const op = await contracts.operation('0.7', sponsored('0.7', paymaster))
    expect(await refusal(op)).toEqual({
      code: -32508,
      message: `deposit of paymaster ${paymaster} cannot cover all its pending operations`,
      data: {
        ...{ entity: 'paymaster', address: paymaster, paymaster },
        ...{ deposit: numberToHex(cost + 1n), reserved: numberToHex(cost), required: numberToHex(cost) },
        hint,
      },
    })
  })

  test('-32005: it is full of operations that pay as much', async () => {
    for (let count = 0; count < 6; count++) await send(service.url, await contracts.operation('0.7'))
    expect(await refusal(await contracts.operation('0.7'))).toEqual({
      code: -32005,
      message: 'the mempool is full',
      data: { retryAfterMs: expect.any(Number), hint },
    })
    const better = { maxPriorityFeePerGas: 2_000_000_000n }
    expect(await refusal(await contracts.operation('0.7', better))).toBeUndefined()
  })

  test('-32602: a replacement that pays too little, with the fees that would do', async () => {
    const first = await contracts.operation('0.7')
    await send(service.url, first)
    const error = await refusal({ ...first, callData: '0x' })
    const { maxFeePerGas, maxPriorityFeePerGas } = first
    const needed = {
      maxFeePerGas: (maxFeePerGas * 110n) / 100n,
      maxPriorityFeePerGas: (maxPriorityFeePerGas * 110n) / 100n,
    }
    expect(error).toEqual({
      code: -32602,
      message: 'replacement underpriced',
      data: {
        path: 'params[0].maxFeePerGas',
        maxFeePerGas: numberToHex(needed.maxFeePerGas),
        maxPriorityFeePerGas: numberToHex(needed.maxPriorityFeePerGas),
        hint,
      },
    })
    expect(await refusal({ ...first, ...needed })).toBeUndefined()
  })

  test('-32602: a nonce too far ahead, with the next and the furthest one', async () => {
    const key = 7n << 64n
    const op = await contracts.operation('0.7', { nonce: key | 11n })
    expect(await refusal(op)).toEqual({
      code: -32602,
      message: 'the nonce is more than 10 ahead of its turn',
      data: {
        path: 'params[0].nonce',
        ...{ nextNonce: numberToHex(key), furthestNonce: numberToHex(key | 10n) },
        hint,
      },
    })
    expect(await refusal({ ...op, nonce: key | 10n })).toBeUndefined()
  })
})

describe('-32602: what the caller can correct, with the field and the value that would do', () => {
  const limit = 2n ** 120n - 1n
  test.each([
    ['callGasLimit', limit + 1n],
    ['verificationGasLimit', limit],
    ['preVerificationGas', limit + 1n],
    ['maxFeePerGas', limit + 1n],
    ['maxPriorityFeePerGas', 6_000_000_000n],
    ['callGasLimit', 30_000_000n],
    ['verificationGasLimit', 5_000_001n],
    ['callGasLimit', 2n ** 200n],
    ['maxFeePerGas', 2n ** 255n],
  ] as const)('%s of %s is too much', async (field, value) => {
    const op = formatUserOperation(await contracts.operation('0.7'))
    const sent = { ...op, [field]: numberToHex(value) }
    const error = await errorOf(call(service.url, 'eth_sendUserOperation', sent, entryPoints['0.7'].address))
    const { path, atMost } = { ...error?.data }
    expect({ code: error?.code, path }).toEqual({ code: -32602, path: `params[0].${field}` })
    expect(BigInt(atMost as Hex)).toBeLessThan(value)
    expect(BigInt(atMost as Hex)).toBeGreaterThan(0n)
  })

  test.each([
    ['callGasLimit', 1n],
    ['preVerificationGas', 1n],
    ['maxFeePerGas', 1n],
  ] as const)('%s of %s is too little', async (field, value) => {
    const op = await contracts.operation('0.7', { maxPriorityFeePerGas: 0n })
    const error = await refusal({ ...op, [field]: value })
    const atLeast = error?.data?.atLeast as Hex
    expect(error).toEqual({
      code: -32602,
      message: `${field} must be at least ${BigInt(atLeast)}`,
      data: { path: `params[0].${field}`, atLeast },
    })
    expect(await refusal({ ...op, [field]: BigInt(atLeast) })).toBeUndefined()
  })

  const wire = async () => formatUserOperation(await contracts.operation('0.7'))
  const sent = (op: unknown, entryPoint: unknown = entryPoints['0.7'].address) =>
    errorOf(call(service.url, 'eth_sendUserOperation', op, entryPoint))

  test('a misspelt field, with a suggestion', async () => {
    const { callGasLimit, ...rest } = await wire()
    expect(await sent({ ...rest, callGaslimit: callGasLimit })).toEqual({
      code: -32602,
      message: 'callGaslimit is not a field of a 0.7 UserOperation',
      data: { path: 'params[0].callGaslimit', hint: 'did you mean callGasLimit?' },
    })
  })

  test.each([
    ['nonce', -1],
    ['nonce', 1.5],
    ['nonce', '0x'],
    ['callGasLimit', 'many'],
    ['maxFeePerGas', true],
    ['maxFeePerGas', { type: 'BigNumber', hex: 5 }],
    ['preVerificationGas', Number.MAX_SAFE_INTEGER + 1],
    ['sender', '0x12'],
    ['callData', '0x123'],
    ['signature', ['0x']],
    ['factory', {}],
    ['eip7702Auth', 'yes'],
  ] as const)('%s of %j', async (field, value) => {
    const error = await sent({ ...(await wire()), [field]: value })
    expect(error).toMatchObject({
      code: -32602,
      data: { path: expect.stringContaining(`params[0].${field}`) },
    })
    expect(error?.message).toStartWith(`${field} must be `)
  })

  test('a paymaster without its gas limits', async () => {
    const paymaster = factories.EmptyFactory
    expect(await sent({ ...(await wire()), paymaster })).toEqual({
      code: -32602,
      message: 'paymasterVerificationGasLimit is required with paymaster',
      data: { path: 'params[0].paymasterVerificationGasLimit' },
    })
  })

  test.each([[null], ['op'], [7], [[]], [[{}]]])('an operation that is %j', async (op) => {
    expect(await sent(op)).toMatchObject({ code: -32602, data: { path: 'params[0]' } })
  })

  test('an EntryPoint that is not served, with those that are', async () => {
    const unknown = getAddress('0x0576a174d229e3cfa37253523e645a78a0c91b57')
    expect(await sent(await wire(), unknown.toLowerCase())).toEqual({
      code: -32602,
      message: `EntryPoint ${unknown} is not served; served: ${served[0]} (0.8), ${served[1]} (0.7), ${served[2]} (0.6)`,
      data: { path: 'params[1]', entryPoints: served },
    })
  })

  test('a hash that is none', async () => {
    expect(await errorOf(call(service.url, 'eth_getUserOperationByHash', '0x1234'))).toEqual({
      code: -32602,
      message: 'userOpHash must be 32 bytes of hex',
      data: { path: 'params[0]' },
    })
  })
})

describe('what is not a request', () => {
  async function post(body: string, path = ''): Promise<{ status: number; answer: unknown }> {
    const { origin } = new URL(service.url)
    const response = await fetch(path === '' ? service.url : `${origin}${path}`, { method: 'POST', body })
    return { status: response.status, answer: await response.json() }
  }
  const refused = (code: number, message: string, data?: object) => ({
    ...{ jsonrpc: '2.0', id: null },
    error: { code, message, ...(data && { data }) },
  })

  test.each(['', '{', 'nonsense', '{"id":1,"method":"eth_chainId"', '\u0000'])('-32700: %p', async (body) => {
    expect(await post(body)).toEqual({
      status: 200,
      answer: refused(-32700, 'the request is not valid JSON'),
    })
  })

  test.each([
    ['1', 'a request must be an object'],
    ['"eth_chainId"', 'a request must be an object'],
    ['null', 'a request must be an object'],
    ['{}', 'method must be a string'],
    ['{"method":7}', 'method must be a string'],
    ['{"id":{},"method":"eth_chainId"}', 'id must be a number, a string or null'],
    ['{"jsonrpc":"1.0","id":null,"method":"eth_chainId"}', 'jsonrpc must be "2.0"'],
    ['[]', 'an empty batch is not a request'],
  ])('-32600: %s', async (body, message) => {
    const { status, answer } = await post(body)
    expect(status).toBe(200)
    expect(answer).toMatchObject({ id: null, error: { code: -32600, message } })
  })

  test('-32600: one answer for a batch of 100,000', async () => {
    const message = 'a batch of 100000 calls is over the limit of 100'
    const answer = refused(-32600, message, { maximum: 100 })
    expect(await post(JSON.stringify(Array(100_000).fill(0)))).toEqual({ status: 200, answer })
  })

  test('-32600 and HTTP 413: a body of 10 MB', async () => {
    const message = 'the body is over the limit of 1048576 bytes'
    const answer = refused(-32600, message, { maximum: 1_048_576 })
    expect(await post(' '.repeat(10_000_000))).toEqual({ status: 413, answer })
  })

  test('-32600 and HTTP 404: a chain that is not served, with those that are', async () => {
    const message = 'chain 1 is not served; served: 31337'
    const answer = refused(-32600, message, { chains: [31337] })
    expect(await post('{"id":1,"method":"eth_chainId"}', '/v1/1/')).toEqual({ status: 404, answer })
  })

  test('-32601: an unknown method, with the nearest one', async () => {
    expect(await errorOf(call(service.url, 'eth_sendUserOperaton'))).toEqual({
      code: -32601,
      message: 'the method eth_sendUserOperaton is not available',
      data: { hint: 'did you mean eth_sendUserOperation?' },
    })
  })

  test('-32602: parameters by name, and one too many', async () => {
    expect((await post('{"id":1,"method":"eth_chainId","params":{}}')).answer).toEqual({
      id: 1,
      error: { code: -32602, message: 'params must be an array', data: { path: 'params' } },
    })
    expect((await post('{"id":"a","method":"eth_supportedEntryPoints","params":[1]}')).answer).toEqual({
      id: 'a',
      error: { code: -32602, message: 'no parameters are expected', data: { path: 'params[0]' } },
    })
  })

  test('afterwards it still serves', async () => {
    expect(await call(service.url, 'eth_chainId')).toBe('0x7a69')
    expect(await refusal(await contracts.operation('0.7'))).toBeUndefined()
  })
})

test(
  'a service whose node is away for long is not ready; when the node is back it goes on',
  async () => {
    const readiness = async () => {
      const response = await fetch(new URL('/ready', cutOff.url))
      return { status: response.status, body: await response.json() }
    }
    proxy.mode = 'unavailable'
    while ((await readiness()).status !== 503) await proxy.nextRequest()
    expect(await readiness()).toEqual({ status: 503, body: { ready: false } })

    proxy.mode = 'pass'
    while ((await readiness()).status !== 200) await proxy.nextRequest()
    expect(await readiness()).toEqual({ status: 200, body: { ready: true } })
    await call(cutOff.url, 'debug_bundler_setBundlingMode', 'auto')
    await watch.all(waiting, 'included')
  },
  patience,
)
