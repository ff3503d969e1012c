import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { getAddress, type Hash, parseEther, stringToHex } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { address } from '../support/builders.ts'
import { transact } from '../support/bundles.ts'
import { call, send, type WireReceipt, type WireStatus, watchStates } from '../support/client.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type OpenContracts, openContracts } from '../support/open.ts'
import { type RunningService, scratchDirectory, startService } from '../support/service.ts'
import { admit, paying, pool, select } from '../unit/pool/support.ts'

/** ms for what starts processes or compiles contracts, however busy the machine is */
const patience = 60_000

let chain: DevChain
let contracts: OpenContracts
let service: RunningService
const directory = scratchDirectory()

beforeAll(async () => {
  chain = await startDevChain()
  contracts = await openContracts(chain)
  service = await start()
}, patience)

afterAll(async () => {
  await service?.stop()
  await chain?.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function start(): Promise<RunningService> {
  const flags = ['--testing', '--poll-interval', '20']
  const started = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[2]], flags, directory })
  await call(started.url, 'debug_bundler_setBundlingMode', 'manual')
  return started
}

const bundleNow = () => call<Hash | 'ok'>(service.url, 'debug_bundler_sendBundleNow')
const statusOf = (hash: Hash) => call<WireStatus>(service.url, 'bundler_getUserOperationStatus', hash)
const receiptOf = (hash: Hash) => call<WireReceipt | null>(service.url, 'eth_getUserOperationReceipt', hash)

describe('the order of bundling', () => {
  /** What a bundle of `size` takes from a pool with operations of these fees, by their place among them. */
  function chosen(fees: readonly bigint[], size: number): number[] {
    const own = pool()
    const ops = fees.map((fee, index) => paying(index + 1, fee, fee))
    for (const op of ops) admit(own, op)
    return select(own, { maxOperations: size }).map((op) => ops.indexOf(op))
  }

  test('fault 3: the operation that pays most goes first', () => {
    expect(chosen([3n, 9n, 1n, 7n], 2)).toEqual([1, 3])
  })

  test('fault 3: fees beyond 32 bits are not truncated', () => {
    const [low, high] = [2n ** 32n - 1n, 2n ** 32n]
    expect(chosen([low, high + 1n, high], 3)).toEqual([1, 2, 0])
  })

  test('fault 3: fees that differ by more than any number holds are sorted, and bundled', () => {
    const most = 2n ** 128n - 1n
    expect(chosen([0n, most, 1n, most - 1n], 4)).toEqual([1, 3, 2, 0])
  })
})

describe('nonces ahead of their turn', () => {
  test('fault 4: what is acknowledged is queued by then, and stays through a restart until its turn comes', async () => {
    const [account] = await fleet(chain, '0.7', 1)
    if (account === undefined) throw new Error('no account')
    const ahead = await send(service.url, await operation(chain, account, { nonce: 1n }))
    const dump = await call<{ nonce: string }[]>(
      service.url,
      'debug_bundler_dumpMempool',
      entryPoints['0.7'].address,
    )
    expect(dump.map(({ nonce }) => nonce)).toEqual(['0x1'])
    expect(await statusOf(ahead)).toMatchObject({ status: 'queued' })
    expect(await bundleNow()).toBe('ok')

    await service.kill('SIGTERM')
    service = await start()
    expect(await statusOf(ahead)).toMatchObject({ status: 'queued' })
    const watch = await watchStates(service.url, [account.address])
    const first = await send(service.url, await operation(chain, account, { nonce: 0n }))
    await call(service.url, 'debug_bundler_setBundlingMode', 'auto')
    await watch.all([first, ahead], 'included')
    watch.close()
    await call(service.url, 'debug_bundler_setBundlingMode', 'manual')
    const receipts = await Promise.all([receiptOf(first), receiptOf(ahead)])
    expect(receipts).toMatchObject([{ success: true }, { success: true }])
  })
})

describe.each(['0.6', '0.8'] as EntryPointVersion[])(
  'a bad operation among good ones, EntryPoint %s',
  (version) => {
    /** Sends `bad` between two good ones, spoils it after it was accepted, and bundles. */
    async function spoilt(bad: UserOperation, spoil: () => Promise<void>) {
      const good = [await contracts.operation(version), await contracts.operation(version)]
      const hashes = [
        await send(service.url, good[0] as UserOperation),
        await send(service.url, bad),
        await send(service.url, good[1] as UserOperation),
      ] as const
      await spoil()
      const transaction = await bundleNow()
      const included = { success: true, receipt: { transactionHash: transaction, status: '0x1' } }
      expect(await Promise.all([receiptOf(hashes[0]), receiptOf(hashes[2])])).toMatchObject([
        included,
        included,
      ])
      return statusOf(hashes[1])
    }

    test('fault 5: does not cancel the bundle, and is dropped with its own reason', async () => {
      const bad = await contracts.operation(version)
      const refuse = contracts.call('OpenAccount', 'set', [0n, 0n, 'closed'])
      expect(await spoilt(bad, () => transact(chain, bad.sender, refuse))).toMatchObject({
        status: 'dropped',
        reason: {
          code: -32500,
          message: 'AA23 reverted: closed',
          data: { entity: 'account', address: getAddress(bad.sender) },
        },
      })
    })

    test('fault 5: its paymaster is named and answers for it, though the EntryPoint names none', async () => {
      const paymaster = getAddress(await contracts.paymaster(version, parseEther('1'), { isFickle: true }))
      const limits = version === '0.6' ? {} : { paymasterVerificationGasLimit: 100_000n }
      const bad = await contracts.operation(version, { paymaster, ...limits })
      const refuse = contracts.call('OpenPaymaster', 'refuse', [stringToHex('no more', { size: 32 })])
      expect(await spoilt(bad, () => transact(chain, paymaster, refuse))).toMatchObject({
        status: 'dropped',
        reason: { code: -32501, message: 'AA33 reverted: no more', data: { paymaster, entity: 'paymaster' } },
      })
      const reputation = await call<{ address: string; opsSeen: string; opsIncluded: string }[]>(
        service.url,
        'debug_bundler_dumpReputation',
        entryPoints[version].address,
      )
      const counts = reputation.find((one) => one.address === paymaster)
      expect(counts).toMatchObject({ opsSeen: '0x1', opsIncluded: '0x0' })
    })
  },
)

describe('the decay of reputation', () => {
  const hour = 3_600_000
  /** Counts after `hours`, looked at every `step` ms. */
  function after(hours: number, step: number): unknown {
    const own = pool()
    own.setReputation([{ address: address(1), opsSeen: 2400, opsIncluded: 240 }])
    for (let now = 0; now <= hours * hour; now += step) own.tick({ now, timestamp: 0, blockNumber: 1 })
    return own.reputation().map(({ opsSeen, opsIncluded }) => [opsSeen, opsIncluded])
  }

  test('fault 7: counts lose a 24th in an hour, however many blocks there are in it', () => {
    expect(after(1, 1000)).toEqual([[2300, 230]])
    expect(after(1, hour)).toEqual([[2300, 230]])
  })

  test('fault 7: they do decay: a day leaves a third, four days one in eighty', () => {
    expect(after(24, 60_000)).toEqual([[856, 80]])
    expect(after(96, 60_000)).toEqual([[30, 0]])
  })
})
