import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createMetrics } from '../../src/base/metrics.ts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { openStore } from '../../src/store/store.ts'
import { operation as anOperation, record } from '../store/builders.ts'
import { storeOptions } from '../store/places.ts'
import { call, send, type WireStatus } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { scratchDirectory, startService } from '../support/service.ts'

const day = 86_400_000
let chain: DevChain
const directory = scratchDirectory()
const file = join(directory, 'tandem.db')

beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(async () => {
  await chain?.stop()
  rmSync(directory, { recursive: true })
})

/** Operations of this chain that ended `daysAgo`, as an earlier run left them, with two entries of the audit log. */
async function past(...daysAgo: readonly number[]) {
  const store = await openStore(storeOptions(`file:${file}`), { metrics: createMetrics(), onFatal: () => {} })
  const ended = daysAgo.map((days, index) =>
    record({
      chainId: chain.chainId,
      op: anOperation({ nonce: BigInt(index), callData: `0x${'ab'.repeat(500)}` }),
      receivedAt: Date.now() - days * day,
      state: { kind: 'dropped', reason: { code: -32500, message: 'AA23 reverted' } },
    }),
  )
  await Promise.all(ended.map(store.addOperation))
  for (const days of [3, 1]) {
    const at = Date.now() - days * day
    const entry = { at, tenantId: undefined, keyId: undefined, action: 'key.add', subject: `${days}` }
    await store.audit({ entry })
  }
  await store.close(undefined)
  return ended.map(({ hash }) => hash)
}

test('history beyond its age and size is forgotten while the service runs, and the file shrinks', async () => {
  const hashes = await past(8, 6, ...Array.from({ length: 3_000 }, () => 5), 1)
  const [old = '0x', young = '0x'] = [hashes[0], hashes.at(-1)]
  const [account] = await fleet(chain, '0.7', 1)
  if (!account) throw new Error('an account')
  await rpc(chain.url, 'evm_setAutomine', [false])
  const before = statSync(file).size
  const flags = ['--history-age', '7', '--history-size', '1', '--audit-age', '2']
  const service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory, flags })
  const open = await send(service.url, await operation(chain, account))

  const line = JSON.parse(await service.logLine('history pruned'))
  expect(line).toMatchObject({ level: 'info', events: 0, receipts: 0, bundles: 0, audit: 1 })
  expect(line.operations).toBeGreaterThan(3_000)
  expect(line.usedBytes).toBeLessThanOrEqual(2 ** 20)
  const statusOf = (hash: string) =>
    call<WireStatus | null>(service.url, 'bundler_getUserOperationStatus', hash)
  expect(await statusOf(old)).toBeNull()
  expect(await call(service.url, 'eth_getUserOperationByHash', old)).toBeNull()
  expect(await statusOf(young)).toMatchObject({ status: 'dropped' })
  expect(await statusOf(open)).not.toBeNull()

  const metrics = await (await fetch(new URL('/metrics', service.adminUrl))).text()
  expect(metrics).toContain(`tandem_store_pruned_rows_total{table="operations"} ${line.operations}\n`)
  expect(metrics).toContain(`tandem_store_bytes ${line.bytes}\n`)
  expect(await service.kill('SIGTERM')).toBe(0)
  expect(statSync(file).size).toBeLessThan(before / 2)
})
