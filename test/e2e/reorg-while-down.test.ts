import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { Hash, Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, send, type WireReceipt, type WireStatus, watchStates } from '../support/client.ts'
import { databaseKinds, startDatabase } from '../support/database.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type RunningService, scratchDirectory, startService } from '../support/service.ts'

let chain: DevChain
let accounts: TestAccount[]

beforeEach(async () => {
  chain = await startDevChain()
  accounts = await fleet(chain, '0.7', 3)
  await rpc(chain.url, 'evm_setAutomine', [false])
})
afterEach(() => chain?.stop())

const receiptOf = ({ url }: RunningService, hash: Hash) =>
  call<WireReceipt | null>(url, 'eth_getUserOperationReceipt', hash)

/** The UserOperationEvents of these operations on the canonical chain. */
async function eventsOf(hashes: readonly Hash[]): Promise<Hash[]> {
  const filter = { fromBlock: '0x0', topics: [null, hashes] }
  const logs = await rpc<{ topics: Hash[] }[]>(chain.url, 'eth_getLogs', [filter])
  return logs.flatMap((log) => log.topics[1] ?? [])
}

test.each(databaseKinds)(
  'what a reorg took out while it was down waits again, and is included again, once, on a %s',
  async (kind) => {
    await using database = await startDatabase(kind)
    const directory = scratchDirectory()
    const start = () =>
      startService({
        ...{ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory },
        flags: ['--database', database.url],
      })
    const senders = accounts.map((account) => account.address)

    const first = await start()
    const watch = await watchStates(first.url, senders)
    const hashes: Hash[] = []
    for (const account of accounts) {
      const hash = await send(first.url, await operation(chain, account))
      hashes.push(hash)
      await watch.all([hash], 'submitted')
      await rpc(chain.url, 'evm_mine')
      await watch.all([hash], 'included')
    }
    const [kept, ...removed] = hashes
    await first.kill('SIGKILL')
    watch.close()
    await rpc(chain.url, 'anvil_reorg', [2, []])
    await rpc(chain.url, 'evm_mine')
    expect(await eventsOf(hashes)).toEqual(hashes.slice(0, 1))

    const second = await start()
    const again = await watchStates(second.url, senders)
    for (const hash of removed) {
      expect(await receiptOf(second, hash)).toBeNull()
      const { status } = await call<WireStatus>(second.url, 'bundler_getUserOperationStatus', hash)
      expect(['pending', 'bundled', 'submitted']).toContain(status)
    }
    expect(await receiptOf(second, kept ?? '0x')).toMatchObject({ userOpHash: kept, success: true })

    await rpc(chain.url, 'evm_setIntervalMining', [1])
    await again.all(removed, 'included')
    again.close()
    for (const hash of hashes) {
      const { receipt } = (await receiptOf(second, hash)) ?? {}
      const block = await rpc<{ hash: Hash }>(chain.url, 'eth_getBlockByNumber', [
        receipt?.blockNumber,
        false,
      ])
      expect(receipt?.blockHash).toBe(block.hash)
    }
    expect((await eventsOf(hashes)).sort()).toEqual(hashes.toSorted())
    const relayer = privateKeyToAddress(anvilKeys[1])
    const count = await rpc<Hex>(chain.url, 'eth_getTransactionCount', [relayer, 'latest'])
    expect(Number(count)).toBe(hashes.length)
    await second.kill('SIGTERM')
    rmSync(directory, { recursive: true })
  },
)
