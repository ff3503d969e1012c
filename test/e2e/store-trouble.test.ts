import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Hash } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, type RpcError, send, type WireStatus, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import {
  command,
  type RunningService,
  type ServeOptions,
  scratchDirectory,
  startService,
} from '../support/service.ts'
import { hasSqld, startSqld } from '../support/sqld.ts'

let chain: DevChain
let accounts: TestAccount[]
let directory: string

beforeEach(async () => {
  directory = scratchDirectory()
  chain = await startDevChain()
  accounts = await fleet(chain, '0.7', 3)
  await rpc(chain.url, 'evm_setAutomine', [false])
})
afterEach(async () => {
  await chain?.stop()
  rmSync(directory, { recursive: true })
})

const options = (database?: string): ServeOptions => ({
  ...{ nodeUrl: chain.url, relayerKeys: [anvilKeys[1]], directory },
  flags: database === undefined ? [] : ['--database', database],
})
const operations = () => Promise.all(accounts.map((account) => operation(chain, account)))
const isReady = async ({ url }: RunningService) => (await fetch(new URL('/ready', url))).status === 200

/** What a caller gets for an operation that could not be stored. */
async function refusal(service: RunningService, op: UserOperation): Promise<RpcError['error']> {
  const outcome = await send(service.url, op).catch((error: RpcError) => error)
  if (typeof outcome === 'string') throw new Error('it was acknowledged')
  return outcome.error
}
const unavailable = { code: -32603, message: 'Internal error', data: { logId: expect.any(String) } }

/** All of them are known after a crash and included in the end. */
async function expectKept(database: string | undefined, hashes: readonly Hash[]): Promise<void> {
  const service = await startService(options(database))
  const watch = await watchStates(
    service.url,
    accounts.map((account) => account.address),
  )
  for (const hash of hashes) {
    const { status } = await call<WireStatus>(service.url, 'bundler_getUserOperationStatus', hash)
    expect(['pending', 'bundled', 'submitted']).toContain(status)
  }
  await rpc(chain.url, 'evm_setIntervalMining', [1])
  await watch.all(hashes, 'included')
  watch.close()
  await service.kill('SIGTERM')
}

const canLimit = Bun.which('prlimit') !== null

/** Bytes that a file of the process may have: a write beyond fails as on a full disk, until the limit is lifted. */
const limitFiles = ({ pid }: RunningService, bytes: number | 'unlimited') =>
  Bun.spawnSync(['prlimit', '--pid', String(pid), `--fsize=${bytes}:unlimited`])

test.skipIf(!canLimit)(
  'a disk that is full: nothing is acknowledged, nothing lost, and it goes on when there is room',
  async () => {
    const service = await startService(options())
    const [one, two, three] = await operations()
    if (!one || !two || !three) throw new Error('three operations')
    const hashes = [await send(service.url, one)]
    limitFiles(service, 4096)
    expect(await refusal(service, two)).toEqual(unavailable)
    expect(await isReady(service)).toBe(false)
    expect(await refusal(service, three)).toEqual(unavailable)
    expect(service.log()).toContain('store write: SQLITE_')

    limitFiles(service, 'unlimited')
    expect(await isReady(service)).toBe(true)
    hashes.push(await send(service.url, two))
    await service.kill('SIGKILL')
    await expectKept(undefined, hashes)
  },
)

test.skipIf(!hasSqld)(
  'a server that is gone: nothing is acknowledged, nothing lost, and it goes on when the server is back',
  async () => {
    const server = await startSqld()
    const service = await startService(options(server.url))
    const [one, two] = await operations()
    if (!one || !two) throw new Error('two operations')
    const watch = await watchStates(service.url, [one.sender])
    const mined = await send(service.url, one)
    await watch.all([mined], 'submitted')
    await server.kill()
    await rpc(chain.url, 'evm_mine')
    expect(await refusal(service, two)).toEqual(unavailable)
    expect(await isReady(service)).toBe(false)

    await server.start()
    expect(await isReady(service)).toBe(true)
    await watch.all([mined], 'included')
    watch.close()
    const kept = await send(service.url, two)
    await service.kill('SIGKILL')
    await expectKept(server.url, [kept])
    await server.stop()
  },
)

test.skipIf(!hasSqld)(
  'a server that is slow: an operation is acknowledged when it is stored, not before, and others are served',
  async () => {
    const server = await startSqld()
    const service = await startService(options(server.url))
    const [one] = await operations()
    if (!one) throw new Error('an operation')
    server.pause()
    let acknowledged = false
    const sending = send(service.url, one).then((hash) => {
      acknowledged = true
      return hash
    })
    expect(await call<string[]>(service.url, 'eth_supportedEntryPoints')).toHaveLength(3)
    expect(await call(service.url, 'eth_chainId')).toBe('0x7a69')
    expect(acknowledged).toBe(false)
    server.resume()
    const hash = await sending
    await service.kill('SIGKILL')
    await expectKept(server.url, [hash])
    await server.stop()
  },
)

/** Root writes to what is read-only, unless it gives up that right. */
const asNobodySpecial: readonly string[] | undefined =
  process.getuid?.() !== 0
    ? []
    : Bun.which('setpriv') !== null
      ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all']
      : undefined

test.skipIf(asNobodySpecial === undefined)(
  'a file that is read-only is refused at the start, by its name',
  async () => {
    const first = await startService(options())
    await first.kill('SIGTERM')
    chmodSync(join(directory, 'tandem.db'), 0o444)
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
    ]
    const second = Bun.spawn([...(asNobodySpecial ?? []), ...command, ...args], {
      ...{ cwd: directory, env: {}, stdout: 'pipe', stderr: 'pipe' },
    })
    expect(await new Response(second.stderr).text()).toContain(
      'tandem: the database file:./tandem.db cannot be opened: SQLITE_READONLY: attempt to write a readonly database\n',
    )
    expect(await second.exited).toBe(1)
  },
)
