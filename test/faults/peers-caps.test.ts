import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Hash, type Hex, numberToHex, size } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { execute, signedOperation, simpleAccount, type TestAccount } from '../support/accounts.ts'
import { catchUp } from '../support/catchUp.ts'
import { call, send, type WireReceipt } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type RunningService, startService } from '../support/service.ts'

/** ms for what starts processes or compiles contracts, however busy the machine is */
const patience = 60_000
/** EIP-7825 */
const gasCap = 16_777_216n
/** what most nodes take */
const bytesCap = 131_072
/** of small blocks */
const blockGas = 4_000_000n

let chain: DevChain
let service: RunningService

beforeAll(async () => {
  chain = await startDevChain({ hardfork: 'osaka', extraArguments: ['--gas-limit', '100000000'] })
  const flags = ['--testing', '--poll-interval', '20']
  service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[2]], flags })
  await call(service.url, 'debug_bundler_setBundlingMode', 'manual')
}, patience)
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

/** Bundles until there is nothing to send; their transactions, with how many operations each has. */
async function bundled(ops: readonly UserOperation[]) {
  const hashes = await Promise.all(ops.map((op) => send(service.url, op)))
  const sent: Hash[] = []
  for (;;) {
    const hash = await call<Hash | 'ok'>(service.url, 'debug_bundler_sendBundleNow')
    if (hash === 'ok') break
    sent.push(hash)
  }
  const receipts = await Promise.all(
    hashes.map((hash) => call<WireReceipt>(service.url, 'eth_getUserOperationReceipt', hash)),
  )
  expect(receipts.map((receipt) => receipt?.success)).toEqual(ops.map(() => true))
  return Promise.all(
    sent.map(async (hash) => ({
      operations: receipts.filter(({ receipt }) => receipt.transactionHash === hash).length,
      gas: BigInt((await rpc<{ gas: Hex }>(chain.url, 'eth_getTransactionByHash', [hash])).gas),
      bytes: size(await rpc<Hex>(chain.url, 'eth_getRawTransactionByHash', [hash])),
    })),
  )
}

const refusal = (op: UserOperation) => send(service.url, op).catch(({ error }) => error)

/** An operation each of so many accounts. */
async function crowd(count: number, changes: Partial<UserOperation>): Promise<UserOperation[]> {
  const accounts = await fleet(chain, '0.7', count)
  return Promise.all(accounts.map((account) => operation(chain, account, changes)))
}

test('fault 9: bundles are cut at the gas that a transaction may have, and all operations travel', async () => {
  const bundles = await bundled(await crowd(7, { callGasLimit: 4_500_000n }))
  expect(bundles.map(({ operations }) => operations)).toEqual([3, 3, 1])
  for (const { gas } of bundles) expect(gas).toBeLessThanOrEqual(gasCap)
})

test('fault 9: bundles are cut at the bytes that nodes take, and all operations travel', async () => {
  const callData = execute('0x000000000000000000000000000000000000dEaD', 0n, `0x${'ab'.repeat(7000)}`)
  const bundles = await bundled(
    await crowd(18, { callData, callGasLimit: 200_000n, preVerificationGas: 500_000n }),
  )
  expect(bundles.map(({ operations }) => operations)).toEqual([16, 2])
  for (const { bytes } of bundles) expect(bytes).toBeLessThanOrEqual(bytesCap)
})

test('fault 9: an operation that no transaction has gas for is refused, with the gas that would do', async () => {
  const [account] = await fleet(chain, '0.7', 1)
  if (account === undefined) throw new Error('no account')
  const { code, data } = await refusal(await operation(chain, account, { callGasLimit: gasCap }))
  expect({ code, path: data.path }).toEqual({ code: -32602, path: 'params[0].callGasLimit' })
  const most = await operation(chain, account, { callGasLimit: BigInt(data.atMost) })
  expect(await bundled([most])).toMatchObject([{ operations: 1 }])
})

/** anvil forgets a limit that it is told while it is at work on a block. */
async function shrinkBlocks(): Promise<void> {
  let gasLimit: bigint | undefined
  while (gasLimit !== BigInt(blockGas)) {
    await rpc(chain.url, 'evm_setBlockGasLimit', [numberToHex(blockGas)])
    await rpc(chain.url, 'evm_mine')
    const newest = await rpc<{ gasLimit: Hex }>(chain.url, 'eth_getBlockByNumber', ['latest', false])
    gasLimit = BigInt(newest.gasLimit)
  }
}

test('fault 9: no bundle is larger than a block', async () => {
  const accounts = await fleet(chain, '0.7', 4)
  const heavy = (account: TestAccount, callGasLimit: bigint) => operation(chain, account, { callGasLimit })
  await shrinkBlocks()
  await catchUp(service.url, chain)
  const [first] = accounts
  if (first === undefined) throw new Error('no account')
  expect(await refusal(await heavy(first, blockGas))).toMatchObject({ code: -32602 })
  const bundles = await bundled(await Promise.all(accounts.map((account) => heavy(account, 1_000_000n))))
  expect(bundles.map(({ operations }) => operations)).toEqual([2, 2])
  for (const { gas } of bundles) expect(gas).toBeLessThanOrEqual(blockGas)
})

test('fault 9: an operation that is too large for a transaction is refused', async () => {
  const large = await signedOperation(chain, await simpleAccount(chain, '0.8'), {
    callData: `0x${'ab'.repeat(bytesCap)}`,
  })
  expect(await refusal(large)).toMatchObject({ code: -32602, data: { path: 'params[0]', atMost: '0x2000' } })
})
