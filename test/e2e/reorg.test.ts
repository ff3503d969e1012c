import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hash } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, type StateWatch, send, type WireReceipt, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type RunningService, startService } from '../support/service.ts'

let chain: DevChain
let service: RunningService
let accounts: TestAccount[]
let watch: StateWatch

beforeAll(async () => {
  chain = await startDevChain()
  accounts = await fleet(chain, '0.7', 3)
  await rpc(chain.url, 'evm_setAutomine', [false])
  service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], flags: ['--testing'] })
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

const receiptOf = (hash: Hash) => call<WireReceipt | null>(service.url, 'eth_getUserOperationReceipt', hash)

async function expectCanonical(receipt: WireReceipt | null): Promise<void> {
  const block =
    receipt &&
    (await rpc<{ hash: Hash }>(chain.url, 'eth_getBlockByNumber', [receipt.receipt.blockNumber, false]))
  expect(receipt?.receipt.blockHash).toBe(block?.hash ?? '0x')
}

test('operations in three blocks that a reorg removes wait again, and are included again, once', async () => {
  const hashes: Hash[] = []
  for (const account of accounts) {
    const hash = await send(service.url, await operation(chain, account))
    hashes.push(hash)
    await watch.all([hash], 'submitted')
    await rpc(chain.url, 'evm_mine')
    await watch.all([hash], 'included')
    await expectCanonical(await receiptOf(hash))
  }

  await rpc(chain.url, 'anvil_reorg', [3, []])
  await watch.all(hashes, 'pending', 'submitted')
  for (const hash of hashes) {
    expect(await receiptOf(hash)).toBeNull()
    expect(await call<{ status: string }>(service.url, 'bundler_getUserOperationStatus', hash)).toMatchObject(
      {
        status: expect.stringMatching(/^(pending|submitted)$/),
      },
    )
  }

  await rpc(chain.url, 'evm_setIntervalMining', [1])
  await watch.all(hashes, 'included')
  for (const hash of hashes) await expectCanonical(await receiptOf(hash))
  const logs = await rpc<{ topics: Hash[] }[]>(chain.url, 'eth_getLogs', [
    { fromBlock: '0x0', topics: [null, hashes] },
  ])
  expect(logs.map((log) => log.topics[1]).sort()).toEqual(hashes.toSorted())
})
