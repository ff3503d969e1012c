import { afterAll, beforeAll, expect, test } from 'bun:test'
import { concatHex, type Hash, type Hex } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import {
  authorization,
  delegatedAccount,
  fund,
  signedOperation,
  type TestAccount,
} from '../support/accounts.ts'
import { sendBundle } from '../support/bundles.ts'
import { call, send, type WireReceipt, type WireStatus } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type RunningService, startService } from '../support/service.ts'

/** ms for what starts processes, however busy the machine is */
const patience = 60_000
const entryPoint = entryPoints['0.8'].address

let chain: DevChain
let service: RunningService
/** Deployed, not delegated. */
let bystanders: TestAccount[]

beforeAll(async () => {
  chain = await startDevChain()
  bystanders = await fleet(chain, '0.8', 3)
  const flags = ['--testing', '--poll-interval', '20']
  service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[2]], flags })
  await call(service.url, 'debug_bundler_setBundlingMode', 'manual')
}, patience)

afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

/** An operation of a fresh EIP-7702 account, with the authorization that it needs now. */
async function delegating(changes: Partial<UserOperation> = {}) {
  const account = delegatedAccount()
  await fund(chain, account.address)
  const eip7702Auth = await authorization(chain, account.owner)
  return { account, eip7702Auth, op: await signedOperation(chain, account, { eip7702Auth, ...changes }) }
}

const bundleNow = () => call<Hash>(service.url, 'debug_bundler_sendBundleNow')
const statusOf = (hash: Hash) => call<WireStatus>(service.url, 'bundler_getUserOperationStatus', hash)
const receiptOf = (hash: Hash) => call<WireReceipt | null>(service.url, 'eth_getUserOperationReceipt', hash)
const typeOf = async (hash: Hash) =>
  (await rpc<{ type: Hex }>(chain.url, 'eth_getTransactionByHash', [hash])).type

/** An operation that does nothing, of an account that is no part of the matter. */
async function bystander(): Promise<UserOperation> {
  const account = bystanders.pop()
  if (account === undefined) throw new Error('no bystander is left')
  return operation(chain, account)
}

test('fault 13: an authorization that its account has outdated drops its own operation, not the bundle', async () => {
  const { account, op } = await delegating()
  const [stale, other] = [await send(service.url, op), await send(service.url, await bystander())]
  await rpc(chain.url, 'anvil_setNonce', [account.address, '0x1'])
  await rpc(chain.url, 'evm_mine')

  const transaction = await bundleNow()
  expect(await receiptOf(other)).toMatchObject({ success: true, receipt: { status: '0x1' } })
  expect(await typeOf(transaction)).toBe('0x2')
  expect(await statusOf(stale)).toMatchObject({
    status: 'dropped',
    reason: { code: -32500, message: "eip7702Auth.nonce is 0, the account's nonce is 1" },
  })
})

test('fault 13: so does one whose account is delegated elsewhere by now', async () => {
  const { account, op } = await delegating()
  const [stale, other] = [await send(service.url, op), await send(service.url, await bystander())]
  await rpc(chain.url, 'anvil_setNonce', [account.address, '0x1'])
  await rpc(chain.url, 'anvil_setCode', [account.address, concatHex(['0xef0100', chain.factories['0.8']])])
  await rpc(chain.url, 'evm_mine')

  await bundleNow()
  expect(await receiptOf(other)).toMatchObject({ success: true, receipt: { status: '0x1' } })
  expect(await statusOf(stale)).toMatchObject({
    status: 'dropped',
    reason: { code: -32500, message: "eip7702Auth.nonce is 0, the account's nonce is 1" },
  })
})

test('fault 13: one whose account is a contract by now, too', async () => {
  const { account, op } = await delegating()
  const [stale, other] = [await send(service.url, op), await send(service.url, await bystander())]
  await rpc(chain.url, 'anvil_setCode', [account.address, '0x6000'])
  await rpc(chain.url, 'evm_mine')

  await bundleNow()
  expect(await receiptOf(other)).toMatchObject({ success: true })
  expect(await statusOf(stale)).toMatchObject({
    status: 'dropped',
    reason: {
      code: -32500,
      message: `the sender ${account.address} is a contract: it takes no EIP-7702 authorization`,
    },
  })
})

test('fault 13: an authorization that another transaction has applied is left out, and its operation included', async () => {
  const { account, eip7702Auth, op } = await delegating()
  const hash = await send(service.url, op)
  const elsewhere = await signedOperation(chain, account, { eip7702Auth, nonce: 1n << 64n })
  expect((await sendBundle(chain, [elsewhere])).operations).toMatchObject([{ success: true }])

  const transaction = await bundleNow()
  expect(await receiptOf(hash)).toMatchObject({ success: true, receipt: { transactionHash: transaction } })
  expect(await typeOf(transaction)).toBe('0x2')
})

test('fault 13: it is estimated and accepted then, too', async () => {
  const { account, eip7702Auth } = await delegating()
  const elsewhere = await signedOperation(chain, account, { eip7702Auth, nonce: 1n << 64n })
  await sendBundle(chain, [elsewhere])
  const op = await signedOperation(chain, account, { eip7702Auth })
  const estimate = call(service.url, 'eth_estimateUserOperationGas', formatUserOperation(op), entryPoint)
  expect(await estimate).toHaveProperty('callGasLimit')
  const hash = await send(service.url, op)
  await bundleNow()
  expect(await receiptOf(hash)).toMatchObject({ success: true })
})

test('fault 13: an authorization that applies travels with its operation', async () => {
  const { op } = await delegating()
  const [hash, other] = [await send(service.url, op), await send(service.url, (await delegating()).op)]
  const transaction = await bundleNow()
  expect(await typeOf(transaction)).toBe('0x4')
  expect(await Promise.all([receiptOf(hash), receiptOf(other)])).toMatchObject([
    { success: true },
    { success: true },
  ])
})
