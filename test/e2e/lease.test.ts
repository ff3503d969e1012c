import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anvilKeys } from '../../src/dev/anvil.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, send, type WireStatus } from '../support/client.ts'
import { databaseKinds, startDatabase } from '../support/database.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type RunningService, scratchDirectory, startService, startTandem } from '../support/service.ts'

let chain: DevChain
let accounts: TestAccount[]
const directory = scratchDirectory()

beforeAll(async () => {
  chain = await startDevChain()
  accounts = await fleet(chain, '0.7', 2 * databaseKinds.length)
  await rpc(chain.url, 'evm_setAutomine', [false])
})
afterAll(async () => {
  await chain?.stop()
  rmSync(directory, { recursive: true })
})

const node = () => ({ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory })
const flagsFor = (database: { url: string }) => ['--database', database.url, '--lease-duration', '1']

describe.each(databaseKinds)('two instances with one relayer key and one database on a %s', (kind) => {
  test('the second refuses to start, and the first goes on', async () => {
    await using database = await startDatabase(kind)
    const flags = flagsFor(database)
    const first = await startService({ ...node(), flags })
    const args = [
      'serve',
      '--rpc-url',
      chain.url,
      '--relayer-keys',
      anvilKeys[1],
      '--port',
      '0',
      '--admin-port',
      '0',
      ...flags,
    ]
    const second = startTandem(args, directory)
    expect(await second.exited).toBe(1)
    expect(second.log()).toMatch(
      /^tandem: the database is in use by process \d+ on \S+, since \S+Z, until \S+Z unless it renews: one process at a time may serve from it$/m,
    )
    expect(second.output()).toBe('')
    expect(await call<string[]>(first.url, 'eth_supportedEntryPoints')).toHaveLength(3)
    expect(await first.kill('SIGTERM')).toBe(0)
  })

  test('a third takes over from one that was killed, and from one that sleeps, which then ends', async () => {
    await using database = await startDatabase(kind)
    const flags = flagsFor(database)
    const killed = await startService({ ...node(), flags })
    const [one, two] = accounts.splice(0, 2)
    if (one === undefined || two === undefined) throw new Error('an account for each operation')
    const before = await send(killed.url, await operation(chain, one))
    await killed.kill('SIGKILL')

    const asleep = await startService({ ...node(), flags })
    expect(await call<WireStatus | null>(asleep.url, 'bundler_getUserOperationStatus', before)).not.toBeNull()
    await pauseBetweenCommits(asleep, database)

    const third = await startService({ ...node(), flags })
    const later = await operation(chain, two)
    asleep.resume()
    expect(await asleep.exited).toBe(1)
    expect(asleep.log()).toContain('"message":"fatal","error":"another process has taken the database over"')
    const hash = await send(third.url, later)
    expect(await call<WireStatus | null>(third.url, 'bundler_getUserOperationStatus', hash)).not.toBeNull()
    expect(await third.kill('SIGTERM')).toBe(0)
  })
})

test('one chain is not served twice, under whatever URLs it is configured', async () => {
  const chains = [chain.url, chain.url.replace('127.0.0.1', 'localhost')].map((url) => ({ rpcUrl: [url] }))
  const file = join(directory, 'tandem.json')
  writeFileSync(file, JSON.stringify({ relayerKeys: [anvilKeys[1]], chains }))
  const tandem = startTandem(['serve', '--config', file, '--port', '0', '--admin-port', '0'], directory)
  expect(await tandem.exited).toBe(1)
  expect(tandem.log()).toContain(
    `tandem: chain ${chain.chainId} is configured twice: a relayer has one nonce line\n`,
  )
})

/** Who is stopped in the middle of a commit to a file keeps the file locked, and nobody can take it over. */
async function pauseBetweenCommits(service: RunningService, { url }: { url: string }): Promise<void> {
  service.pause()
  while (url.startsWith('file:') && isLocked(url.slice('file:'.length))) {
    service.resume()
    await call(service.url, 'eth_supportedEntryPoints')
    service.pause()
  }
}

function isLocked(path: string): boolean {
  using file = new Database(path)
  try {
    file.run('begin immediate')
    file.run('rollback')
    return false
  } catch {
    return true
  }
}
