import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hash } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, send, type WireReceipt, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { scratchDirectory, startService, startTandem } from '../support/service.ts'

let chain: DevChain
let accounts: TestAccount[]
let directory: string

beforeAll(async () => {
  chain = await startDevChain()
  accounts = await fleet(chain, '0.7', 2)
  await rpc(chain.url, 'evm_setAutomine', [false])
})
afterAll(() => chain?.stop())
beforeEach(() => {
  directory = scratchDirectory()
})
afterEach(() => rmSync(directory, { recursive: true }))

async function backUp(...flags: string[]) {
  const tandem = startTandem(['backup', ...flags], directory)
  return { code: await tandem.exited, output: tandem.output(), errors: tandem.log() }
}

const receiptOf = (url: string, hash: Hash) =>
  call<WireReceipt | null>(url, 'eth_getUserOperationReceipt', hash)

test('a backup of a running service is a database that answers for the past and goes on with what was open', async () => {
  const node = { nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory }
  const [one, two] = await Promise.all(accounts.map((account) => operation(chain, account)))
  if (!one || !two) throw new Error('two operations')
  const senders = [one.sender, two.sender]

  const original = await startService(node)
  const watch = await watchStates(original.url, senders)
  const mined = await send(original.url, one)
  await watch.all([mined], 'submitted')
  await rpc(chain.url, 'evm_mine')
  await watch.all([mined], 'included')
  const open = await send(original.url, two)
  await watch.all([open], 'submitted')
  const receipt = await receiptOf(original.url, mined)

  const backup = await backUp('--to', 'back up 50%.db')
  expect(backup).toEqual({
    code: 0,
    output: expect.stringMatching(/^tandem: back up 50%\.db is a backup of \d+\.\d MiB\n$/),
    errors: '',
  })
  expect(await receiptOf(original.url, mined)).toEqual(receipt)
  await original.kill('SIGKILL')
  watch.close()
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, `tandem.db${suffix}`))
  renameSync(join(directory, 'back up 50%.db'), join(directory, 'tandem.db'))

  const restored = await startService(node)
  const again = await watchStates(restored.url, senders)
  expect(await receiptOf(restored.url, mined)).toEqual(receipt)
  await rpc(chain.url, 'evm_setIntervalMining', [1])
  await again.all([open], 'included')
  again.close()
  expect(await receiptOf(restored.url, open)).toMatchObject({ userOpHash: open, success: true })
  await restored.kill('SIGTERM')
})

test('a backup does not replace a file, and leaves nothing behind when it fails', async () => {
  writeFileSync(join(directory, 'tandem.db'), 'something else entirely, and long enough'.repeat(100))
  writeFileSync(join(directory, 'taken.db'), '')
  expect(await backUp('--to', 'taken.db')).toEqual({
    code: 1,
    output: '',
    errors: 'tandem: no backup was made: taken.db is there already\n',
  })
  expect(await backUp('--to', 'backup.db')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('SQLITE_NOTADB: file is not a database'),
  })
  expect(readdirSync(directory).sort()).toEqual(['taken.db', 'tandem.db'])
})

test('there is no backup of nothing, nor of a server', async () => {
  expect(await backUp('--to', 'backup.db')).toMatchObject({
    code: 1,
    errors: 'tandem: no backup was made: there is no ./tandem.db\n',
  })
  expect(await backUp('--to', 'backup.db', '--database', 'http://127.0.0.1:9')).toMatchObject({
    code: 1,
    errors:
      'tandem: no backup was made: only a database file is copied; a libSQL server has its own means (its data directory, or snapshots)\n',
  })
  expect((await backUp()).code).toBe(2)
  expect(readdirSync(directory)).toEqual([])
})
