import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hash } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { operationGas } from '../../src/types/userop-cost.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, type StateWatch, send, type WireReceipt, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type RunningService, startService } from '../support/service.ts'

const senders = 300
let chain: DevChain
let service: RunningService
let accounts: TestAccount[]
let watch: StateWatch

beforeAll(async () => {
  chain = await startDevChain({ extraArguments: ['--gas-limit', '100000000'] })
  accounts = await fleet(chain, '0.7', senders)
  await rpc(chain.url, 'evm_setIntervalMining', [1])
  service = await startService({
    nodeUrl: chain.url,
    relayerKeys: [anvilKeys[1], anvilKeys[2]],
    flags: ['--testing'],
  })
  watch = await watchStates(
    service.url,
    accounts.map((account) => account.address),
  )
})

afterAll(async () => {
  watch?.close()
  await service?.stop()
  await chain?.stop()
})

/** gas of each operation, such as a wallet's estimate gives */
const gas = { callGasLimit: 60_000n, verificationGasLimit: 100_000n, preVerificationGas: 62_000n }

async function transactionsOf(hashes: readonly Hash[]): Promise<Set<Hash>> {
  const receipts = await Promise.all(
    hashes.map((hash) => call<WireReceipt>(service.url, 'eth_getUserOperationReceipt', hash)),
  )
  for (const receipt of receipts) expect(receipt).toMatchObject({ success: true, receipt: { status: '0x1' } })
  return new Set(receipts.map(({ receipt }) => receipt.transactionHash))
}

test('300 operations of 300 senders, sent at once, are all included', async () => {
  const ops = await Promise.all(accounts.map((account) => operation(chain, account, gas)))
  const hashes = await Promise.all(ops.map((op) => send(service.url, op)))
  await watch.all(hashes, 'included')
  expect(new Set(hashes).size).toBe(senders)
  await transactionsOf(hashes)
}, 60_000)

test('by hand they take as few bundles as their gas allows', async () => {
  await call(service.url, 'debug_bundler_setBundlingMode', 'manual')
  const ops = await Promise.all(accounts.map((account) => operation(chain, account, { ...gas, nonce: 1n })))
  const hashes = await Promise.all(ops.map((op) => send(service.url, op)))
  expect(
    await call<unknown[]>(service.url, 'debug_bundler_dumpMempool', entryPoints['0.7'].address),
  ).toHaveLength(senders)
  const sent: string[] = []
  while (sent.at(-1) !== 'ok') sent.push(await call(service.url, 'debug_bundler_sendBundleNow'))
  const cap = 16_777_216n
  const total = ops.reduce((sum, op) => sum + operationGas(op), 0n)
  expect(sent.length - 1).toBe(Number((total + cap - 1n) / cap))
  expect(await transactionsOf(hashes)).toEqual(new Set(sent.slice(0, -1) as Hash[]))
  await call(service.url, 'debug_bundler_setBundlingMode', 'auto')
}, 90_000)
