import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hash,
  type Hex,
  numberToHex,
  parseEther,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { version as packageVersion } from '../../package.json'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { type EntryPointVersion, entryPoints, entryPointVersions } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { execute, fund, sign, signedOperation, simpleAccount, type TestAccount } from '../support/accounts.ts'
import { sendBundle } from '../support/bundles.ts'
import { call, RpcError, send, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { type OpenContracts, openContracts } from '../support/open.ts'
import { type RunningService, scratchDirectory, startService } from '../support/service.ts'
import { documentedReceipt } from '../support/wireReceipt.ts'

const relayer = privateKeyToAddress(anvilKeys[2])
const quantity = expect.stringMatching(/^0x(0|[1-9a-f][0-9a-f]*)$/)
const unknownHash = `0x${'ab'.repeat(32)}` as const

let chain: DevChain
let contracts: OpenContracts
let service: RunningService
const directory = scratchDirectory()

const start = () =>
  startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[2]], flags: ['--testing'], directory })
const ask = <Result = unknown>(method: string, ...params: unknown[]) =>
  call<Result>(service.url, method, ...params)
const entryPointOf = (version: EntryPointVersion) => entryPoints[version].address

beforeAll(async () => {
  chain = await startDevChain()
  contracts = await openContracts(chain)
  service = await start()
  await ask('debug_bundler_setBundlingMode', 'manual')
})

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
    const paymaster =
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
    const [validAfter, validUntil] = [1_000n, 4_000_000_000n]
    const op = await contracts.operation(
      version,
      { callData: '0x' },
      { answer: (validAfter << 208n) | (validUntil << 160n) },
    )
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
    const count = String(Number(blockNumber) - Number(first))
    expect(await ask('bundler_feeHistory', entryPointOf(version), count, 'latest')).toEqual({
      actualGasPrice: order.map(({ actualGasCost, actualGasUsed }) =>
        numberToHex(BigInt(actualGasCost ?? 0) / BigInt(actualGasUsed ?? 1)),
      ),
      maxFeePerGas: operations.map(({ userOperation }) => userOperation.maxFeePerGas),
      maxPriorityFeePerGas: operations.map(({ userOperation }) => userOperation.maxPriorityFeePerGas),
    })
    expect(await ask('bundler_feeHistory', entryPointOf(version), 1, first)).not.toEqual(
      await ask('bundler_feeHistory', entryPointOf(version), '0x1', blockNumber),
    )
  })
})

function lastLog(receipt: Record<string, unknown>): number {
  return Number((receipt.logs as { logIndex: Hex }[]).at(-1)?.logIndex)
}
