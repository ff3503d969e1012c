import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { encodeFunctionData, getAddress, type Hash, type Hex, numberToHex, parseEther } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { version as packageVersion } from '../../package.json'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { execute, fund, signedOperation, simpleAccount, type TestAccount } from '../support/accounts.ts'
import { sendBundle, transact } from '../support/bundles.ts'
import { catchUp } from '../support/catchUp.ts'
import { call, RpcError, send, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { type OpenContracts, openContracts } from '../support/open.ts'
import { type RunningService, scratchDirectory, startService } from '../support/service.ts'
import { validBetween } from '../support/timeRange.ts'
import { documentedReceipt } from '../support/wireReceipt.ts'

const relayer = privateKeyToAddress(anvilKeys[2])
const quantity = expect.stringMatching(/^0x(0|[1-9a-f][0-9a-f]*)$/)
const unknownHash = `0x${'ab'.repeat(32)}` as const

/** ms for what starts processes or compiles contracts, however busy the machine is */
const patience = 60_000

let chain: DevChain
let contracts: OpenContracts
let service: RunningService
const directory = scratchDirectory()

/** Sees a block soon after it is mined: nothing announces it here. */
const quick = ['--poll-interval', '20']
const start = () =>
  startService({
    nodeUrl: chain.url,
    relayerKeys: [anvilKeys[2]],
    flags: ['--testing', ...quick],
    directory,
  })
const ask = <Result = unknown>(method: string, ...params: unknown[]) =>
  call<Result>(service.url, method, ...params)
const entryPointOf = (version: EntryPointVersion) => entryPoints[version].address

beforeAll(async () => {
  chain = await startDevChain()
  contracts = await openContracts(chain)
  service = await start()
  await ask('debug_bundler_setBundlingMode', 'manual')
}, patience)

afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

/** A funded account, not deployed yet. */
async function newAccount(version: EntryPointVersion): Promise<TestAccount> {
  const account = await simpleAccount(chain, version)
  await fund(chain, account.address)
  return account
}

/** Sends them and has them mined in one bundle. */
async function include(...ops: readonly UserOperation[]): Promise<{ transaction: Hash; hashes: Hash[] }> {
  const hashes = await Promise.all(ops.map((op) => send(service.url, op)))
  return { transaction: await ask<Hash>('debug_bundler_sendBundleNow'), hashes }
}

/** The hash as the EntryPoint itself computes it. */
function hashOnChain(op: UserOperation): Promise<Hash> {
  const { address, abi, pack } = entryPoints[op.version]
  const data = encodeFunctionData({ abi, functionName: 'getUserOpHash', args: [pack(op)] } as never)
  return rpc<Hash>(chain.url, 'eth_call', [{ to: address, data }, 'latest'])
}

async function blockOf(transaction: Hash): Promise<{ blockHash: Hash; blockNumber: Hex }> {
  const { blockHash, blockNumber } = await rpc<{ blockHash: Hash; blockNumber: Hex }>(
    chain.url,
    'eth_getTransactionByHash',
    [transaction],
  )
  return { blockHash, blockNumber }
}

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => (error instanceof RpcError ? error.error : error),
  )

const fields06 = [
  'sender',
  'nonce',
  'initCode',
  'callData',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterAndData',
  'signature',
]

describe.each(entryPointVersions)('an operation of EntryPoint %s', (version) => {
  test('from acknowledgement to receipt', async () => {
    const op = await signedOperation(chain, await newAccount(version))
    const userOperation = formatUserOperation(op)
    if (version === '0.6') expect(Object.keys(userOperation).toSorted()).toEqual(fields06.toSorted())

    const hash = await send(service.url, op)
    expect(hash).toBe(await hashOnChain(op))
    expect(await ask('eth_getUserOperationByHash', hash)).toEqual({
      userOperation,
      entryPoint: entryPointOf(version),
      transactionHash: null,
      blockHash: null,
      blockNumber: null,
    })
    expect(await ask('eth_getUserOperationReceipt', hash)).toBeNull()
    expect(await send(service.url, op)).toBe(hash)

    const transaction = await ask<Hash>('debug_bundler_sendBundleNow')
    expect(await ask('eth_getUserOperationByHash', hash)).toEqual({
      userOperation,
      entryPoint: entryPointOf(version),
      transactionHash: transaction,
      ...(await blockOf(transaction)),
    })
    const receipt = await documentedReceipt(chain, version, { transaction, operation: hash })
    expect(await ask('eth_getUserOperationReceipt', hash)).toEqual(receipt)
    expect(receipt).toMatchObject({ success: true, sender: op.sender, receipt: { from: relayer } })
    expect(await send(service.url, op)).toBe(hash)
  })

  test('two in one bundle: each receipt has the logs of its own operation', async () => {
    const { abi, address } = entryPoints[version]
    const deposit = async () => {
      const account = await newAccount(version)
      const data = encodeFunctionData({ abi, functionName: 'depositTo', args: [account.address] })
      return signedOperation(chain, account, { callData: execute(address, 1000n, data) })
    }
    const { transaction, hashes } = await include(await deposit(), await deposit())
    for (const operation of hashes) {
      const receipt = await documentedReceipt(chain, version, { transaction, operation })
      expect(await ask('eth_getUserOperationReceipt', operation)).toEqual(receipt)
      // Deposited, UserOperationEvent
      expect((receipt as { logs: unknown[] }).logs).toHaveLength(2)
    }
  })

  test('one whose call reverts: success is false, the reason is decoded', async () => {
    const reverter = await contracts.deploy('Reverter')
    const callData = execute(reverter, 0n, contracts.call('Reverter', 'withReason'))
    const op = await signedOperation(chain, await newAccount(version), { callData })
    const { transaction, hashes } = await include(op)
    const [operation = '0x'] = hashes
    const mined = { transaction, operation }
    const receipt = await documentedReceipt(chain, version, mined, { reason: 'not today' })
    expect(receipt).toMatchObject({ success: false })
    expect(await ask('eth_getUserOperationReceipt', operation)).toEqual(receipt)
  })

  test('one that a paymaster pays for: the receipt names it', async () => {
    const paymaster = await contracts.paymaster(version, parseEther('1'))
    const op = await signedOperation(chain, await simpleAccount(chain, version), {
      paymaster,
      callData: '0x',
      ...(version === '0.6'
        ? {}
        : { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 50_000n }),
    })
    const { transaction, hashes } = await include(op)
    const [operation = '0x'] = hashes
    const receipt = await documentedReceipt(
      chain,
      version,
      { transaction, operation },
      { paymaster: getAddress(paymaster) },
    )
    expect(await ask('eth_getUserOperationReceipt', operation)).toEqual(receipt)
  })

  test('an estimate has every field as a quantity, and what it says is enough', async () => {
    const account = await newAccount(version)
    const draft = await signedOperation(chain, account)
    const { sender, nonce, callData, initCode, factory, factoryData } = formatUserOperation(draft)
    const wallet = { sender, nonce, callData, initCode, factory, factoryData }
    const estimate = await ask<Record<string, Hex>>(
      'eth_estimateUserOperationGas',
      wallet,
      entryPointOf(version),
    )
    const paymaster: Record<string, Hex> =
      version === '0.6' ? {} : { paymasterVerificationGasLimit: '0x0', paymasterPostOpGasLimit: '0x0' }
    expect(estimate).toEqual({
      preVerificationGas: quantity,
      verificationGas: quantity,
      verificationGasLimit: quantity,
      callGasLimit: quantity,
      ...paymaster,
      ...(await ask<object>('bundler_getGasPrice')),
    })
    expect(estimate.verificationGas).toBe(estimate.verificationGasLimit as Hex)

    const gas = (name: string) => BigInt(estimate[name] ?? 0)
    const op = await signedOperation(chain, account, {
      callGasLimit: gas('callGasLimit'),
      verificationGasLimit: gas('verificationGasLimit'),
      preVerificationGas: gas('preVerificationGas'),
      maxFeePerGas: gas('maxFeePerGas'),
      maxPriorityFeePerGas: gas('maxPriorityFeePerGas'),
    })
    const { hashes } = await include(op)
    expect(await ask('eth_getUserOperationReceipt', hashes[0])).toMatchObject({ success: true })
  })

  test('an estimate tells the time range of an account that has one', async () => {
    const [validAfter, validUntil] = [1_000, 4_000_000_000]
    const op = await contracts.operation(
      version,
      { callData: '0x' },
      { answer: validBetween(validAfter, validUntil) },
    )
    await catchUp(service.url, chain)
    expect(
      await ask('eth_estimateUserOperationGas', formatUserOperation(op), entryPointOf(version)),
    ).toMatchObject({ validAfter: numberToHex(validAfter), validUntil: numberToHex(validUntil) })
  })

  test('an estimate is made on the state that the caller describes', async () => {
    const op = await signedOperation(chain, await newAccount(version))
    const receiver = '0x000000000000000000000000000000000000dEaD'
    // PUSH1 0, PUSH1 0, REVERT
    const overrides = { [receiver]: { code: '0x60006000fd', balance: null } }
    const estimated = ask(
      'eth_estimateUserOperationGas',
      formatUserOperation(op),
      entryPointOf(version),
      overrides,
    )
    expect(await errorOf(estimated)).toMatchObject({ code: -32521 })
  })

  test('the fee history has one element an operation, with its own fees', async () => {
    const first = await rpc<Hex>(chain.url, 'eth_blockNumber')
    const fees = [
      [5_000_000_000n, 1_000_000_000n],
      [4_000_000_000n, 2_000_000_000n],
    ] as const
    const ops = await Promise.all(
      fees.map(async ([maxFeePerGas, maxPriorityFeePerGas]) =>
        signedOperation(chain, await newAccount(version), { maxFeePerGas, maxPriorityFeePerGas }),
      ),
    )
    const { transaction, hashes } = await include(...ops)
    const receipts = await Promise.all(
      hashes.map((hash) => ask<Record<string, Hex>>('eth_getUserOperationReceipt', hash)),
    )
    const order = receipts.toSorted((a, b) => lastLog(a) - lastLog(b))
    const operations = await Promise.all(
      order.map(({ userOpHash }) =>
        ask<{ userOperation: Record<string, Hex> }>('eth_getUserOperationByHash', userOpHash),
      ),
    )
    const { blockNumber } = await blockOf(transaction)
    const count = Number(blockNumber) - Number(first)
    const history = {
      actualGasPrice: order.map(({ actualGasCost, actualGasUsed }) =>
        numberToHex(BigInt(actualGasCost ?? 0) / BigInt(actualGasUsed ?? 1)),
      ),
      maxFeePerGas: operations.map(({ userOperation }) => userOperation.maxFeePerGas),
      maxPriorityFeePerGas: operations.map(({ userOperation }) => userOperation.maxPriorityFeePerGas),
    }
    for (const [blocks, newest] of [
      [String(count), 'latest'],
      [numberToHex(count), blockNumber],
      [count, Number(blockNumber)],
    ]) {
      expect(await ask('bundler_feeHistory', entryPointOf(version), blocks, newest)).toEqual(history)
    }
    expect(await ask('bundler_feeHistory', entryPointOf(version), count, first)).not.toEqual(history)
  })
})

function lastLog(receipt: Record<string, unknown>): number {
  return Number((receipt.logs as { logIndex: Hex }[]).at(-1)?.logIndex)
}

describe('the service', () => {
  test('eth_supportedEntryPoints: the preferred one first', async () => {
    expect(await ask('eth_supportedEntryPoints')).toEqual([
      '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
      '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
      '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
    ])
  })

  test('eth_chainId', async () => {
    expect(await ask('eth_chainId')).toBe('0x7a69')
  })

  test('bundler_config: every field of the contract with its default', async () => {
    expect(await ask('bundler_config')).toEqual(documentedConfig)
    const { explorerApiKey, ...rest } = documentedConfig
    expect(await ask('skandha_config')).toEqual({ ...rest, etherscanApiKey: explorerApiKey })
  })

  test('bundler_getGasPrice: enough for the next block, and what the aliases say', async () => {
    const price = await ask<Record<string, Hex>>('bundler_getGasPrice')
    expect(price).toEqual({ maxFeePerGas: quantity, maxPriorityFeePerGas: quantity })
    const { baseFeePerGas } = await rpc<{ baseFeePerGas: Hex }>(chain.url, 'eth_getBlockByNumber', [
      'pending',
      false,
    ])
    const [fee, tip] = [BigInt(price.maxFeePerGas ?? 0), BigInt(price.maxPriorityFeePerGas ?? 0)]
    expect(fee).toBeGreaterThanOrEqual(BigInt(baseFeePerGas) + tip)
    expect(await ask('skandha_getGasPrice')).toEqual(price)
    expect(await ask('rundler_maxPriorityFeePerGas')).toBe(price.maxPriorityFeePerGas)
    const times = (percent: bigint) => ({
      maxFeePerGas: numberToHex((fee * percent) / 100n),
      maxPriorityFeePerGas: numberToHex((tip * percent) / 100n),
    })
    expect(await ask('pimlico_getUserOperationGasPrice')).toEqual({
      slow: times(100n),
      standard: times(105n),
      fast: times(110n),
    })
  })

  test('web3_clientVersion is its own', async () => {
    expect(await ask('web3_clientVersion')).toBe(`tandem/${packageVersion}`)
  })

  test.each(['eth_getUserOperationByHash', 'eth_getUserOperationReceipt', 'bundler_getUserOperationStatus'])(
    '%s of an unknown hash is null',
    async (method) => {
      expect(await ask(method, unknownHash)).toBeNull()
    },
  )

  test('the aliases about an unknown hash', async () => {
    expect(await ask('pimlico_getUserOperationStatus', unknownHash)).toEqual({
      status: 'not_found',
      transactionHash: null,
    })
    expect(await errorOf(ask('skandha_userOperationStatus', unknownHash))).toEqual({
      code: -32602,
      message: 'UserOperation not found',
      data: { path: 'params[0]' },
    })
  })

  test('a fee history beyond receiptLookupRange is refused', async () => {
    expect(await errorOf(ask('bundler_feeHistory', entryPointOf('0.7'), '1025', 'latest'))).toEqual({
      code: -32602,
      message: 'blockCount must be between 1 and 1024',
      data: { path: 'params[1]', maximum: 1024 },
    })
    expect(await ask('skandha_feeHistory', entryPointOf('0.7'), '1', '0x0')).toEqual({
      actualGasPrice: [],
      maxFeePerGas: [],
      maxPriorityFeePerGas: [],
    })
  })
})

const documentedConfig = {
  chainId: 31337,
  flags: { testingMode: true, redirectRpc: true },
  entryPoints: [
    '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
    '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
    '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  ],
  beneficiary: relayer,
  relayers: [relayer],
  minInclusionDenominator: 10,
  throttlingSlack: 10,
  banSlack: 50,
  minStake: { type: 'BigNumber', hex: '0xde0b6b3a7640000' },
  minUnstakeDelay: 86400,
  minSignerBalance: '0.1 eth',
  multicall: '0xcA11bde05977b3631167028862bE2a173976CA11',
  estimationStaticBuffer: 0,
  validationGasLimit: 5_000_000,
  receiptLookupRange: 1024,
  explorerApiKey: false,
  conditionalTransactions: false,
  rpcEndpointSubmit: false,
  gasPriceMarkup: 0,
  enforceGasPrice: false,
  enforceGasPriceThreshold: 1000,
  eip2930: false,
  useropsTTL: 300,
  whitelistedEntities: { paymaster: [], account: [], factory: [] },
  bundleGasLimitMarkup: 0,
  relayingMode: 'classic',
  bundleInterval: 10_000,
  bundleSize: 500,
  pvgMarkup: 0,
  skipBundleValidation: false,
}

describe('the states of an operation', () => {
  test('pending, then included, with the times', async () => {
    const op = await signedOperation(chain, await newAccount('0.7'))
    const about = { sender: op.sender, entryPoint: entryPointOf('0.7') }
    const time = expect.any(Number)
    const hash = await send(service.url, op)
    expect(await ask('bundler_getUserOperationStatus', hash)).toEqual({
      ...{ status: 'pending', hash, ...about, at: time, validationLevel: 'full' },
      timestamps: { received: time, pending: time },
    })
    expect(await ask('pimlico_getUserOperationStatus', hash)).toEqual({
      status: 'not_submitted',
      transactionHash: null,
    })
    const userOp = formatUserOperation(op)
    expect(await ask('skandha_userOperationStatus', hash)).toEqual({
      ...{ userOp, entryPoint: about.entryPoint, status: 'New' },
    })

    const transaction = await ask<Hash>('debug_bundler_sendBundleNow')
    expect(await ask('bundler_getUserOperationStatus', hash)).toEqual({
      ...{ status: 'included', hash, ...about, at: time, validationLevel: 'full' },
      ...{ transactionHash: transaction, ...(await blockOf(transaction)), success: true },
      timestamps: { received: time, pending: time, bundled: time, submitted: time, included: time },
    })
    expect(await ask('pimlico_getUserOperationStatus', hash)).toEqual({
      status: 'included',
      transactionHash: transaction,
    })
    expect(await ask('skandha_userOperationStatus', hash)).toEqual({
      ...{ userOp, entryPoint: about.entryPoint, status: 'OnChain', transaction },
    })
  })

  test('eth_sendUserOperationSync gives the receipt', async () => {
    const op = await signedOperation(chain, await newAccount('0.7'))
    const operation = await hashOnChain(op)
    const watch = await watchStates(service.url, [op.sender])
    const answer = ask('eth_sendUserOperationSync', formatUserOperation(op), entryPointOf('0.7'))
    await watch.all([operation], 'pending')
    const transaction = await ask<Hash>('debug_bundler_sendBundleNow')
    expect(await answer).toEqual(await documentedReceipt(chain, '0.7', { transaction, operation }))
    watch.close()
  })

  test('eth_sendUserOperationSync that takes too long says so, and the operation stays', async () => {
    const op = await signedOperation(chain, await newAccount('0.7'))
    const userOpHash = await hashOnChain(op)
    const answer = ask('eth_sendUserOperationSync', formatUserOperation(op), entryPointOf('0.7'), 1)
    expect(await errorOf(answer)).toEqual({
      code: 4,
      message: 'accepted, but not included within 1 ms',
      data: { userOpHash },
    })
    await ask('debug_bundler_sendBundleNow')
    expect(await ask('eth_getUserOperationReceipt', userOpHash)).toMatchObject({ success: true })
  })

  test('bundler_dropUserOperation withdraws what waits', async () => {
    const account = await newAccount('0.7')
    const hash = await send(service.url, await signedOperation(chain, account))
    const noop = await signedOperation(chain, account, { callData: '0x' })
    expect(await ask('bundler_dropUserOperation', formatUserOperation(noop), entryPointOf('0.7'))).toBe(hash)
    expect(await ask('debug_bundler_sendBundleNow')).toBe('ok')
    expect(await ask('bundler_getUserOperationStatus', hash)).toMatchObject({
      status: 'dropped',
      reason: { code: -32000, message: 'withdrawn by its sender' },
    })
  })

  test('bundler_dropUserOperation needs the signature of the sender', async () => {
    const account = await newAccount('0.7')
    const hash = await send(service.url, await signedOperation(chain, account))
    const noop = await signedOperation(chain, account, { callData: '0x', callGasLimit: 1n })
    const forged = formatUserOperation({ ...noop, callGasLimit: 2n })
    expect(await errorOf(ask('bundler_dropUserOperation', forged, entryPointOf('0.7')))).toMatchObject({
      code: -32507,
      data: { aaCode: 'AA24' },
    })
    await ask('debug_bundler_sendBundleNow')
    expect(await ask('eth_getUserOperationReceipt', hash)).toMatchObject({ success: true })
  })

  test('bundler_explainUserOperation tells the verdict and leaves the pool alone', async () => {
    const account = await newAccount('0.7')
    const op = await signedOperation(chain, account)
    expect(
      await ask('bundler_explainUserOperation', formatUserOperation(op), entryPointOf('0.7')),
    ).toMatchObject({
      verdict: 'accepted',
      validationLevel: 'full',
      block: { number: quantity, hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
      gas: { preOpGas: quantity, prefund: quantity, verification: quantity, handleOps: quantity },
      findings: [],
      phases: [{ phase: 'create' }, { phase: 'validate' }, { phase: 'execute' }],
      calls: { function: 'handleOps', calls: expect.any(Array) },
    })
    const forged = formatUserOperation({ ...op, callData: '0x' })
    expect(await ask('bundler_explainUserOperation', forged, entryPointOf('0.7'))).toMatchObject({
      verdict: 'rejected',
      error: { code: -32507, message: 'AA24 signature error', data: { entity: 'account' } },
    })
    expect(await ask('debug_bundler_sendBundleNow')).toBe('ok')
  })
})

describe('debug_bundler_*', () => {
  test('dumpMempool gives the operations as they were sent; clearMempool empties it', async () => {
    const op = await signedOperation(chain, await newAccount('0.6'))
    const hash = await send(service.url, op)
    expect(await ask('debug_bundler_dumpMempool', entryPointOf('0.6'))).toEqual([formatUserOperation(op)])
    expect(await ask('debug_bundler_dumpMempool', entryPointOf('0.7'))).toEqual([])
    expect(await ask('debug_bundler_clearMempool')).toBe('ok')
    expect(await ask('debug_bundler_dumpMempool', entryPointOf('0.6'))).toEqual([])
    expect(await ask('bundler_getUserOperationStatus', hash)).toMatchObject({
      status: 'dropped',
      reason: { message: 'the mempool was cleared' },
    })
    expect(await ask('debug_bundler_sendBundleNow')).toBe('ok')
  })

  test('addUserOps takes what validation would not', async () => {
    const op = await signedOperation(chain, await simpleAccount(chain, '0.7'))
    expect(await ask('debug_bundler_addUserOps', [formatUserOperation(op)], entryPointOf('0.7'))).toBe('ok')
    expect(await ask('debug_bundler_dumpMempool', entryPointOf('0.7'))).toEqual([formatUserOperation(op)])
    expect(await ask('debug_bundler_clearState')).toBe('ok')
    expect(await ask('debug_bundler_dumpMempool', entryPointOf('0.7'))).toEqual([])
  })

  test('reputation is set, shown and cleared by EntryPoint', async () => {
    const entry = (tail: string, opsSeen: number, opsIncluded: number) => ({
      address: getAddress(`0x${tail.padStart(40, '0')}`),
      opsSeen: numberToHex(opsSeen),
      opsIncluded: numberToHex(opsIncluded),
    })
    const entries = [entry('a1', 100, 10), entry('a2', 200, 1), entry('a3', 10_000, 1)]
    await ask('debug_bundler_clearReputation')
    expect(await ask('debug_bundler_setReputation', entries, entryPointOf('0.8'))).toBe('ok')
    expect(await ask('debug_bundler_dumpReputation', entryPointOf('0.8'))).toEqual([
      { ...entries[0], status: 0 },
      { ...entries[1], status: 1 },
      { ...entries[2], status: 2 },
    ])
    expect(await ask('debug_bundler_dumpReputation', entryPointOf('0.7'))).toEqual([])
    expect(await ask('debug_bundler_clearReputation')).toBe('ok')
    expect(await ask('debug_bundler_dumpReputation', entryPointOf('0.8'))).toEqual([])
  })

  test('getStakeStatus reads the stake from the EntryPoint', async () => {
    const paymaster = getAddress(await contracts.paymaster('0.7', 1n))
    expect(await ask('debug_bundler_getStakeStatus', paymaster.toLowerCase(), entryPointOf('0.7'))).toEqual({
      stakeInfo: { addr: paymaster, stake: '0', unstakeDelaySec: 0 },
      isStaked: false,
    })
    const [staker, delay] = [privateKeyToAddress(anvilKeys[1]), 86_400]
    const { address, abi } = entryPoints['0.7']
    const data = encodeFunctionData({ abi, functionName: 'addStake', args: [delay] })
    await transact(chain, address, data, { value: parseEther('2') })
    expect(await ask('debug_bundler_getStakeStatus', staker, entryPointOf('0.7'))).toEqual({
      stakeInfo: { addr: staker, stake: parseEther('2').toString(), unstakeDelaySec: delay },
      isStaked: true,
    })
  })

  test('setBundlingMode and setBundleInterval: in auto mode bundles leave by themselves', async () => {
    expect(await ask('debug_bundler_setBundleInterval', 0)).toBe('ok')
    const op = await signedOperation(chain, await newAccount('0.8'))
    const hash = await send(service.url, op)
    const watch = await watchStates(service.url, [op.sender])
    expect(await ask('debug_bundler_setBundlingMode', 'auto')).toBe('ok')
    await watch.all([hash], 'included')
    watch.close()
    await ask('debug_bundler_setBundlingMode', 'manual')
    await ask('debug_bundler_setBundleInterval', 10)
  })
})

describe('standard methods', () => {
  const somebody = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  test.each([
    ['eth_blockNumber', []],
    ['net_version', []],
    ['eth_getBalance', [somebody, 'latest']],
    ['eth_getTransactionCount', [somebody, 'latest']],
    ['eth_getCode', [entryPoints['0.7'].address, 'latest']],
    ['eth_getBlockByNumber', ['0x1', true]],
    ['eth_feeHistory', ['0x2', 'latest', [50]]],
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', address: entryPoints['0.7'].address }]],
    ['eth_getTransactionByHash', [unknownHash]],
    ['web3_sha3', ['0x01']],
  ] as const)('%s is answered by the node', async (method, params) => {
    expect(await ask(method, ...params)).toEqual(await rpc(chain.url, method, params))
  })

  test('a filter lives at the node', async () => {
    const filter = await ask<Hex>('eth_newBlockFilter')
    await rpc(chain.url, 'anvil_mine', ['0x1'])
    const { hash } = await rpc<{ hash: Hash }>(chain.url, 'eth_getBlockByNumber', ['latest', false])
    expect(await ask('eth_getFilterChanges', filter)).toEqual([hash])
    expect(await ask('eth_uninstallFilter', filter)).toBe(true)
  })

  test("the node's own error object comes back as it is", async () => {
    const to = await contracts.deploy('Reverter')
    const params = [{ to, data: contracts.call('Reverter', 'withReason') }, 'latest']
    const own = await errorOf(call(chain.url, 'eth_call', ...params))
    expect(own).toMatchObject({ code: 3, data: expect.stringMatching(/^0x08c379a0/) })
    expect(await errorOf(ask('eth_call', ...params))).toEqual(own)
  })

  test.each(['eth_sign', 'eth_sendTransaction', 'anvil_mine', 'personal_unlockAccount'])(
    '%s is never passed on',
    async (method) => {
      expect(await errorOf(ask(method, somebody, '0x00'))).toMatchObject({ code: -32601 })
    },
  )
})

test(
  'with other settings: no standard methods, no debugging, other prices',
  async () => {
    const flags = ['--no-redirect-rpc', '--gas-price-markup', '5000', '--bundle-size', '7']
    const other = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[3]], flags })
    const otherRelayer = privateKeyToAddress(anvilKeys[3])
    expect(await call(other.url, 'bundler_config')).toEqual({
      ...documentedConfig,
      flags: { testingMode: false, redirectRpc: false },
      ...{ gasPriceMarkup: 5000, bundleSize: 7, relayers: [otherRelayer], beneficiary: otherRelayer },
    })
    for (const method of ['eth_blockNumber', 'eth_call', 'debug_bundler_sendBundleNow']) {
      expect(await errorOf(call(other.url, method))).toMatchObject({
        code: -32601,
        message: `the method ${method} is not available`,
      })
    }
    expect(await call(other.url, 'eth_chainId')).toBe('0x7a69')
    const price = await ask<Record<string, Hex>>('bundler_getGasPrice')
    const marked = (name: string) => numberToHex((BigInt(price[name] ?? 0) * 15_000n) / 10_000n)
    expect(await call(other.url, 'bundler_getGasPrice')).toEqual({
      maxFeePerGas: marked('maxFeePerGas'),
      maxPriorityFeePerGas: marked('maxPriorityFeePerGas'),
    })
    await other.stop()
  },
  patience,
)

describe.each(entryPointVersions)("another bundler's operation of EntryPoint %s", (version) => {
  let foreign: { op: UserOperation; operation: Hash; transaction: Hash; blockNumber: Hex; blockHash: Hash }

  async function expectKnown() {
    const { op, operation, transaction, blockNumber, blockHash } = foreign
    expect(await ask('eth_getUserOperationByHash', operation)).toEqual({
      userOperation: formatUserOperation(op),
      entryPoint: entryPointOf(version),
      transactionHash: transaction,
      blockHash,
      blockNumber,
    })
    expect(await ask('eth_getUserOperationReceipt', operation)).toEqual(
      await documentedReceipt(chain, version, { transaction, operation }),
    )
    expect(await ask('bundler_feeHistory', entryPointOf(version), '1', blockNumber)).toEqual({
      actualGasPrice: [quantity],
      maxFeePerGas: [numberToHex(op.maxFeePerGas)],
      maxPriorityFeePerGas: [numberToHex(op.maxPriorityFeePerGas)],
    })
  }

  test('is found by hash, by receipt and in the fee history', async () => {
    const op = await signedOperation(chain, await newAccount(version))
    const operation = await hashOnChain(op)
    await sendBundle(chain, [op])
    const block = await rpc<{ transactions: Hash[] }>(chain.url, 'eth_getBlockByNumber', ['latest', false])
    const [transaction = '0x'] = block.transactions
    foreign = { op, operation, transaction, ...(await blockOf(transaction)) }
    // When a bundle of ours is applied, so are the blocks before it.
    await include(await signedOperation(chain, await newAccount(version)))
    await expectKnown()
  })

  test(
    'and after a restart',
    async () => {
      await service.kill('SIGTERM')
      service = await start()
      await ask('debug_bundler_setBundlingMode', 'manual')
      await expectKnown()
    },
    patience,
  )
})

test(
  'a service with an empty database knows the operations of the last receiptLookupRange blocks',
  async () => {
    const { hashes } = await include(await signedOperation(chain, await newAccount('0.7')))
    const { hashes: later } = await include(await signedOperation(chain, await newAccount('0.7')))
    const flags = ['--receipt-lookup-range', '1']
    const other = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[3]], flags })
    for (const method of ['eth_getUserOperationByHash', 'eth_getUserOperationReceipt']) {
      expect(await call(other.url, method, later[0])).toEqual(await ask(method, later[0]))
      expect(await call(other.url, method, hashes[0])).toBeNull()
    }
    await other.stop()
  },
  patience,
)
