import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { Hash } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, send, type WireStatus, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { scratchDirectory, startService } from '../support/service.ts'

const directory = scratchDirectory()
let chain: DevChain
let accounts: TestAccount[]

beforeAll(async () => {
  chain = await startDevChain()
  accounts = await fleet(chain, '0.7', 20)
  await rpc(chain.url, 'evm_setAutomine', [false])
})

afterAll(async () => {
  await chain?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const start = () => startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory })
const senders = () => accounts.map((account) => account.address)

test('SIGTERM under load ends with 0 and without a complaint; a new process goes on where it stopped', async () => {
  const first = await start()
  const watch = await watchStates(first.url, senders())
  const hashes: Hash[] = []
  const sends = accounts.map(async (account) => {
    hashes.push(await send(first.url, await operation(chain, account)))
  })
  const sent = Promise.allSettled(sends)
  await watch.some('submitted')
  expect(await first.kill('SIGTERM')).toBe(0)
  watch.close()
  await sent
  const complaints = first
    .log()
    .split('\n')
    .filter((line) => /"level":"(warn|error)"/.test(line))
  expect(complaints).toEqual([])
  expect(hashes.length).toBeGreaterThan(0)

  const second = await start()
  const again = await watchStates(second.url, senders())
  const statuses = await Promise.all(
    hashes.map((hash) => call<WireStatus>(second.url, 'bundler_getUserOperationStatus', hash)),
  )
  for (const { status } of statuses) expect(['pending', 'bundled', 'submitted']).toContain(status)
  await rpc(chain.url, 'evm_setIntervalMining', [1])
  await again.all(hashes, 'included')
  again.close()
  expect(await second.kill('SIGTERM')).toBe(0)
})
