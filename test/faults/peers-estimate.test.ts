import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { concatHex, encodeAbiParameters, type Hash, type Hex, parseEther, toFunctionSelector } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { execute, fund, sign, signedOperation, simpleAccount } from '../support/accounts.ts'
import { catchUp } from '../support/catchUp.ts'
import { call, send, type WireReceipt } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faultyProxy.ts'
import { type OpenContracts, openContracts } from '../support/open.ts'
import { type RunningService, startService } from '../support/service.ts'

/** ms for what starts processes or compiles contracts, however busy the machine is */
const patience = 60_000
/** Operations that share what a bundle costs once. */
const company = 10

let chain: DevChain
let contracts: OpenContracts
let node: FaultyProxy
let service: RunningService
/** The same, for a chain whose bundles are large. */
let busy: RunningService

beforeAll(async () => {
  chain = await startDevChain()
  contracts = await openContracts(chain)
  node = startFaultyProxy(chain.url)
  const flags = ['--testing', '--poll-interval', '20']
  service = await startService({ nodeUrl: node.url, relayerKeys: [anvilKeys[2]], flags })
  const expected = [...flags, '--expected-bundle-size', String(company)]
  busy = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[3]], flags: expected })
  for (const { url } of [service, busy]) await call(url, 'debug_bundler_setBundlingMode', 'manual')
}, patience)

afterAll(async () => {
  await busy?.stop()
  await service?.stop()
  await node?.stop()
  await chain?.stop()
})

type Limits = Partial<UserOperation>

/** What is estimated, as the limits of an operation. */
async function estimateOf(url: string, op: UserOperation): Promise<Limits> {
  await catchUp(url, chain)
  const {
    callGasLimit,
    verificationGasLimit,
    preVerificationGas,
    paymasterVerificationGasLimit,
    paymasterPostOpGasLimit,
  } = await call<Record<string, Hex>>(
    url,
    'eth_estimateUserOperationGas',
    formatUserOperation(op),
    entryPoints[op.version].address,
  )
  const gas = (value: Hex | undefined) => BigInt(value ?? 0)
  return {
    callGasLimit: gas(callGasLimit),
    verificationGasLimit: gas(verificationGasLimit),
    preVerificationGas: gas(preVerificationGas),
    paymasterVerificationGasLimit: gas(paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: gas(paymasterPostOpGasLimit),
  }
}

type Receipt = WireReceipt & { actualGasUsed: Hex; reason?: string }

/** Sends it and has it mined. */
async function included(url: string, op: UserOperation): Promise<Receipt> {
  const hash = await send(url, op)
  await call(url, 'debug_bundler_sendBundleNow')
  return call<Receipt>(url, 'eth_getUserOperationReceipt', hash)
}

describe.each([...entryPointVersions])('an estimate for EntryPoint %s', (version) => {
  const callOf = async (name: string, functionName: string, args: readonly unknown[] = []) =>
    execute(await contracts.deploy(name), 0n, contracts.call(name, functionName, args))

  test('fault 16: gives limits that just do, not the double', async () => {
    const callData = await callOf('Swallower', 'deep', [20n, 0n])
    const first = await contracts.operation(version, { callData }, { burn: 300_000n })
    const enough = { ...first, ...(await estimateOf(service.url, first)) }
    expect(await included(service.url, enough)).toMatchObject({ success: true })

    const second = { ...first, nonce: 1n }
    const limits = await estimateOf(service.url, second)
    const most = (value = 0n) => (value * 6n) / 10n
    const scanty = { ...second, ...limits, callGasLimit: most(limits.callGasLimit) }
    const invalid = { ...second, ...limits, verificationGasLimit: most(limits.verificationGasLimit) }
    expect(await send(service.url, invalid).catch(({ error }) => error)).toMatchObject({ code: -32500 })
    expect(await included(service.url, scanty)).toMatchObject({ success: false })
  })

  test('fault 16: has gas for postOp', async () => {
    const paymaster = await contracts.paymaster(version, parseEther('1'), {
      contextSize: 64n,
      postOpSlots: 6n,
      isStaked: true,
    })
    const op = await contracts.operation(version, { paymaster })
    const receipt = await included(service.url, { ...op, ...(await estimateOf(service.url, op)) })
    expect(receipt).toMatchObject({ success: true })
    expect(receipt.reason).toBeUndefined()
    expect(BigInt(receipt.actualGasUsed)).toBeGreaterThan(6n * 20_000n)
  })

  test('fault 16: charges its caller a share of what a bundle costs once, when bundles are large', async () => {
    const account = await simpleAccount(chain, version)
    await fund(chain, account.address)
    const op = await signedOperation(chain, account)
    const [alone, shared] = [await estimateOf(service.url, op), await estimateOf(busy.url, op)]
    const saved = (alone.preVerificationGas ?? 0n) - (shared.preVerificationGas ?? 0n)
    expect(saved).toBeGreaterThan((21_000n * BigInt(company - 1)) / BigInt(company))
    const own = await sign(chain, account, { ...op, ...shared })
    expect(await included(busy.url, own)).toMatchObject({ success: true })
  })
})

describe.each(['0.7', '0.8'] as EntryPointVersion[])('an estimate for EntryPoint %s', (version) => {
  test('fault 16: runs executeUserOp where callData asks for it', async () => {
    const target = await contracts.deploy('Swallower')
    const inner = encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }],
      [target, contracts.call('Swallower', 'run', [10n])],
    )
    const selector = toFunctionSelector(
      'executeUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32)',
    )
    const op = await contracts.operation(version, { callData: concatHex([selector, inner]) })
    const limits = await estimateOf(service.url, op)
    expect(limits.callGasLimit).toBeGreaterThan(10n * 22_100n)
    expect(await included(service.url, { ...op, ...limits })).toMatchObject({ success: true })
    const data = contracts.call('Swallower', 'completed')
    expect(BigInt(await rpc<Hex>(chain.url, 'eth_call', [{ to: target, data }, 'latest']))).toBe(1n)
  })
})

test('fault 16: estimates and validation need no contract of ours on the chain', async () => {
  node.calls.clear()
  const op = await contracts.operation('0.7')
  const nonceBefore = await relayerNonce()
  await send(service.url, { ...op, ...(await estimateOf(service.url, op)) })
  const sent = [...node.calls.keys()].filter((method) => method.startsWith('eth_send'))
  expect(sent).toEqual([])
  expect(await relayerNonce()).toBe(nonceBefore)
  const transaction = await call<Hash>(service.url, 'debug_bundler_sendBundleNow')
  expect(await rpc(chain.url, 'eth_getTransactionByHash', [transaction])).toMatchObject({
    to: entryPoints['0.7'].address.toLowerCase(),
  })
})

async function relayerNonce(): Promise<Hex> {
  const [relayer] = (await call<{ relayers: Hex[] }>(service.url, 'bundler_config')).relayers
  return rpc<Hex>(chain.url, 'eth_getTransactionCount', [relayer, 'latest'])
}
