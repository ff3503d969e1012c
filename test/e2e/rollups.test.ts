import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { type Hash, type Hex, hexToBytes, parseTransaction, type TransactionSerializedEIP1559 } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { bundleGasLimit } from '../../src/gas/bundle-gas.ts'
import { arbitrumDataFee, brotliLength } from '../../src/gas/data-fee/arbitrum.ts'
import { flzLength } from '../../src/gas/data-fee/flz-length.ts'
import { opStackDataFee } from '../../src/gas/data-fee/op-stack.ts'
import { decodeHandleOps, entryPoints } from '../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { fund, sign, signedOperation, simpleAccount, type TestAccount } from '../support/accounts.ts'
import { catchUp } from '../support/catchUp.ts'
import { call, send } from '../support/client.ts'
import { type DataFeeContracts, dataFeeContracts } from '../support/dataFees.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { deployFjord, setL1Values } from '../support/opStack.ts'
import { type RunningService, scratchDirectory, startService, startTandem } from '../support/service.ts'

/** ms for what starts processes or compiles contracts, however busy the machine is */
const patience = 60_000
const gwei = 10n ** 9n
const flags = ['--testing', '--poll-interval', '20']

type Receipt = {
  success: boolean
  actualGasCost: Hex
  receipt: { transactionHash: Hash; gasUsed: Hex; effectiveGasPrice: Hex }
}

/** A rollup in small: its chain, and a service that knows it by its chain id. */
type Rollup = { chain: DevChain; service: RunningService }

async function draft({ chain }: Rollup, version: EntryPointVersion) {
  const account = await simpleAccount(chain, version)
  await fund(chain, account.address)
  return { account, op: await signedOperation(chain, account) }
}

async function estimate(url: string, op: UserOperation): Promise<Partial<UserOperation>> {
  const answer = await call<Record<string, Hex>>(
    url,
    'eth_estimateUserOperationGas',
    formatUserOperation(op),
    entryPoints[op.version].address,
  )
  return {
    callGasLimit: BigInt(answer.callGasLimit ?? 0),
    verificationGasLimit: BigInt(answer.verificationGasLimit ?? 0),
    preVerificationGas: BigInt(answer.preVerificationGas ?? 0),
  }
}

async function included(url: string, op: UserOperation): Promise<Receipt> {
  const hash = await send(url, op)
  await call(url, 'debug_bundler_sendBundleNow')
  return call<Receipt>(url, 'eth_getUserOperationReceipt', hash)
}

/** The bundle's transaction as the chain has it, signature and all. */
async function rawTransaction(chain: DevChain, { receipt }: Receipt): Promise<Hex> {
  return rpc<Hex>(chain.url, 'eth_getRawTransactionByHash', [receipt.transactionHash])
}

/** wei that the operation brought beyond what its bundle took as gas */
function leftFor(data: Receipt): bigint {
  const { gasUsed, effectiveGasPrice } = data.receipt
  return BigInt(data.actualGasCost) - BigInt(gasUsed) * BigInt(effectiveGasPrice)
}

describe('a chain of the OP Stack', () => {
  const cheap = {
    l1BaseFee: 500n * gwei,
    blobBaseFee: 20n * gwei,
    baseFeeScalar: 5227,
    blobBaseFeeScalar: 1_014_213,
  }
  const dear = { ...cheap, l1BaseFee: 1500n * gwei, blobBaseFee: 60n * gwei }
  let rollup: Rollup
  /** Holds no quote: it asks for what holds now. */
  let forgetful: RunningService

  beforeAll(async () => {
    const chain = await startDevChain({ chainId: 10 })
    await deployFjord(chain)
    await setL1Values(chain, cheap)
    const nodeUrl = chain.url
    rollup = { chain, service: await startService({ nodeUrl, relayerKeys: [anvilKeys[2]], flags }) }
    const withoutQuotes = [...flags, '--quote-validity', '0']
    forgetful = await startService({ nodeUrl, relayerKeys: [anvilKeys[3]], flags: withoutQuotes })
    for (const { url } of [rollup.service, forgetful])
      await call(url, 'debug_bundler_setBundlingMode', 'manual')
  }, patience)
  afterAll(async () => {
    await forgetful?.stop()
    await rollup?.service.stop()
    await rollup?.chain.stop()
  })

  /** An operation with what was estimated, after which the data of all operations has become three times as dear. */
  async function overtaken(version: EntryPointVersion, { url }: RunningService) {
    await setL1Values(rollup.chain, cheap)
    const { account, op } = await draft(rollup, version)
    await catchUp(url, rollup.chain)
    const limits = await estimate(url, op)
    const signed = await sign(rollup.chain, account, { ...op, ...limits })
    await setL1Values(rollup.chain, dear)
    await catchUp(url, rollup.chain)
    const now = await estimate(url, op)
    expect(now.preVerificationGas).toBeGreaterThan(signed.preVerificationGas + 10_000n)
    return { account, op: signed, now }
  }

  test.each([...entryPointVersions])(
    'fault 17: an estimate for EntryPoint %s is taken, although data has become dearer',
    async (version) => {
      const { op } = await overtaken(version, rollup.service)
      expect(await included(rollup.service.url, op)).toMatchObject({ success: true })
    },
  )

  test('a quote that holds no more is refused with the value that would do', async () => {
    const { account, op, now } = await overtaken('0.7', forgetful)
    const refusal = await send(forgetful.url, op).catch(({ error }) => error)
    expect(refusal).toMatchObject({ code: -32602, data: { path: 'params[0].preVerificationGas' } })
    const preVerificationGas = BigInt(refusal.data.atLeast)
    expect(preVerificationGas).toBe(now.preVerificationGas ?? 0n)
    const paying = await sign(rollup.chain, account, { ...op, preVerificationGas })
    expect(await included(forgetful.url, paying)).toMatchObject({ success: true })
  })

  test('what an operation pays covers the data of its bundle', async () => {
    await setL1Values(rollup.chain, dear)
    const { account, op } = await draft(rollup, '0.8')
    await catchUp(rollup.service.url, rollup.chain)
    const limits = await estimate(rollup.service.url, op)
    const receipt = await included(
      rollup.service.url,
      await sign(rollup.chain, account, { ...op, ...limits }),
    )
    const raw = await rawTransaction(rollup.chain, receipt)
    const charged = opStackDataFee(flzLength(hexToBytes(raw)), {
      ...{ kind: 'op-stack', l1BaseFee: dear.l1BaseFee, blobBaseFee: dear.blobBaseFee },
      ...{ baseFeeScalar: BigInt(dear.baseFeeScalar), blobBaseFeeScalar: BigInt(dear.blobBaseFeeScalar) },
      ...{ operatorFeePerMillionGas: 0n, operatorFeeConstant: 0n },
    })
    expect(charged).toBeGreaterThan(50_000n * gwei)
    expect(leftFor(receipt)).toBeGreaterThanOrEqual(charged)
  })
})

describe('a chain of Arbitrum', () => {
  const pricePerUnit = 50n * gwei
  const prices = { kind: 'arbitrum' as const, pricePerUnit, compressionLevel: 1 }
  let contracts: DataFeeContracts
  let rollup: Rollup

  beforeAll(async () => {
    contracts = await dataFeeContracts()
    const chain = await startDevChain({ chainId: 42161 })
    await contracts.likeArbitrum(chain, pricePerUnit)
    const service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[2]], flags })
    rollup = { chain, service }
    await call(service.url, 'debug_bundler_setBundlingMode', 'manual')
  }, patience)
  afterAll(async () => {
    await rollup?.service.stop()
    await rollup?.chain.stop()
  })

  async function sendEstimated(account: TestAccount, op: UserOperation): Promise<Receipt> {
    const limits = await estimate(rollup.service.url, op)
    return included(rollup.service.url, await sign(rollup.chain, account, { ...op, ...limits }))
  }

  test('the gas limit of a bundle has room for its data, which the operations pay', async () => {
    const { account, op } = await draft(rollup, '0.7')
    const receipt = await sendEstimated(account, op)
    const raw = await rawTransaction(rollup.chain, receipt)
    const { gas = 0n, data = '0x' } = parseTransaction(raw as TransactionSerializedEIP1559)
    const ops = decodeHandleOps('0.7', data)
    const relayer = privateKeyToAddress(anvilKeys[2])
    const execution = bundleGasLimit('0.7', ops, relayer, { eip7623: true })
    const charged = arbitrumDataFee(brotliLength(hexToBytes(raw), prices), prices)

    const { baseFeePerGas } = await rpc<{ baseFeePerGas: Hex }>(rollup.chain.url, 'eth_getBlockByNumber', [
      'latest',
      false,
    ])
    expect(gas - execution).toBeGreaterThan(charged / BigInt(baseFeePerGas))
    expect(leftFor(receipt)).toBeGreaterThanOrEqual(charged)
  })

  test('fault 17: an estimate is taken, although data has become dearer', async () => {
    const { account, op } = await draft(rollup, '0.8')
    await catchUp(rollup.service.url, rollup.chain)
    const limits = await estimate(rollup.service.url, op)
    await contracts.setPricePerUnit(rollup.chain, 2n * pricePerUnit)
    await catchUp(rollup.service.url, rollup.chain)
    const now = await estimate(rollup.service.url, op)
    expect(now.preVerificationGas).toBeGreaterThan((limits.preVerificationGas ?? 0n) + 10_000n)
    const signed = await sign(rollup.chain, account, { ...op, ...limits })
    expect(await included(rollup.service.url, signed)).toMatchObject({ success: true })
  })
})

test('check tells what is known of a chain, and what is set otherwise', async () => {
  const chain = await startDevChain({ chainId: 137 })
  const directory = scratchDirectory()
  try {
    const known = ['--rpc-url', chain.url, '--relayer-keys', anvilKeys[1]]
    const tandem = startTandem(['check', ...known, '--min-priority-fee', '1 gwei'], directory)
    expect(await tandem.exited).toBe(0)
    expect(tandem.output().split('\n')).toContain(
      'ok      chain 137: preset of Polygon PoS: dataFee none, blockTime 2000 ms, replaceAfterBlocks 5 blocks, minPriorityFee as given, transactionGasCap 32000000 gas, p256Verify true',
    )
  } finally {
    await chain.stop()
    rmSync(directory, { recursive: true })
  }
})
