import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Address, encodeFunctionData, formatEther, getAddress, type Hex, parseEther } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { fund, type TestAccount } from '../support/accounts.ts'
import { transact } from '../support/bundles.ts'
import { call, send, type WireReceipt, type WireStatus, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { startFaultyProxy } from '../support/faultyProxy.ts'
import { fleet, operation } from '../support/fleet.ts'
import { deployMulticall } from '../support/multicall.ts'
import { type RunningService, scratchDirectory, startService, startTandem } from '../support/service.ts'
import { fundedKey, nonceOf } from '../support/submitter.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhookReceiver.ts'

/** ms for what starts processes or compiles contracts, however busy the machine is */
const patience = 60_000
const secret = 'whsec-0123456789'
const { address: entryPoint, abi } = entryPoints['0.7']

let chain: DevChain
let receiver: WebhookReceiver
let multicall: Address
let accounts: TestAccount[]

beforeAll(async () => {
  chain = await startDevChain()
  receiver = startWebhookReceiver(secret)
  multicall = getAddress(await deployMulticall(chain))
  accounts = await fleet(chain, '0.7', 3)
}, patience)
afterAll(async () => {
  await receiver?.stop()
  await chain?.stop()
})

const webhook = () => ['--webhook-url', receiver.url, '--webhook-secret', secret]
const mine = () => rpc(chain.url, 'evm_mine')
const balanceOf = async (address: Address) =>
  BigInt(await rpc<Hex>(chain.url, 'eth_getBalance', [address, 'latest']))
const operatorView = async (service: RunningService, path: string) =>
  (await fetch(`${service.adminUrl}/chains/31337/${path}`)).json()

const loggedBy = (service: RunningService, message: string): string | undefined =>
  service
    .log()
    .split('\n')
    .slice(0, -1)
    .find((line) => line.includes(`"message":"${message}"`))

function start(relayerKeys: readonly Hex[], ...flags: readonly string[]): Promise<RunningService> {
  return startService({ nodeUrl: chain.url, relayerKeys, flags: ['--poll-interval', '20', ...flags] })
}

function account(): TestAccount {
  const next = accounts.pop()
  if (next === undefined) throw new Error('no account is left')
  return next
}

test(
  'minSignerBalance: a relayer with less pauses; what was sent waits for it, and goes when it has money again',
  async () => {
    const relayer = await fundedKey(chain, parseEther('0.4'))
    const service = await start([relayer.key], '--min-signer-balance', '0.5 eth', ...webhook())
    const op = await operation(chain, account())
    const watch = await watchStates(service.url, [op.sender])
    const hash = await send(service.url, op)
    expect(await receiver.first('relayer.paused')).toEqual({
      ...{ id: expect.any(String), event: 'relayer.paused', timestamp: expect.any(String) },
      ...{ chainId: 31337, relayer: getAddress(relayer.address), balance: parseEther('0.4').toString() },
    })
    const ready = await fetch(`${service.adminUrl}/ready`)
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        ready: false,
        missing: ['chain 31337: a funded relayer'],
        chains: [{ chainId: 31337, ready: false, missing: ['a funded relayer'] }],
      },
    ])
    const { status } = await call<WireStatus>(service.url, 'bundler_getUserOperationStatus', hash)
    expect(status).toBe('pending')

    await fund(chain, relayer.address, parseEther('2'))
    await mine()
    await watch.all([hash], 'included')
    watch.close()
    expect(await receiver.first('relayer.recovered')).toMatchObject({ relayer: getAddress(relayer.address) })
    expect((await fetch(`${service.adminUrl}/ready`)).status).toBe(200)
    expect(service.log()).toContain('"message":"relayer.paused"')
    for (const hidden of [secret, 'with-a-key']) expect(service.log()).not.toContain(hidden)
    await service.stop()
  },
  patience,
)

test(
  'multicall: balances are read by one call through it, where it has code; without it by one each',
  async () => {
    const paymasters: Address[] = [
      getAddress('0x00000000000000000000000000000000000bad01'),
      getAddress('0x00000000000000000000000000000000000bad02'),
    ]
    for (const paymaster of paymasters) {
      const depositTo = encodeFunctionData({ abi, functionName: 'depositTo', args: [paymaster] })
      await transact(chain, entryPoint, depositTo, { value: parseEther('0.01') })
    }
    const calls: Record<string, number> = {}
    for (const [name, at] of [
      ['with', multicall],
      ['without', getAddress('0x00000000000000000000000000000000000000ff')],
    ] as const) {
      const proxy = startFaultyProxy(chain.url)
      const relayer = await fundedKey(chain)
      const service = await startService({
        nodeUrl: proxy.url,
        relayerKeys: [relayer.key],
        flags: [
          ...['--poll-interval', '20', '--multicall', at, '--entry-points', entryPoint],
          ...['--watched-paymasters', paymasters.join(',')],
        ],
      })
      proxy.calls.clear()
      await mine()
      let view = await operatorView(service, 'paymasters')
      while (view.total === 0) view = await operatorView(service, 'paymasters')
      expect(view.paymasters).toEqual(
        paymasters.map((paymaster) => ({
          ...{ paymaster, entryPoint, deposit: parseEther('0.01').toString(), watched: true, low: true },
        })),
      )
      calls[name] = proxy.calls.get('eth_call') ?? 0
      expect((await call<{ multicall: Address }>(service.url, 'bundler_config')).multicall).toBe(at)
      await service.stop()
      await proxy.stop()
    }
    expect(calls).toEqual({ with: 1, without: 2 })
  },
  patience,
)

test(
  'a watched paymaster whose deposit runs low is told',
  async () => {
    const paymaster = getAddress('0x00000000000000000000000000000000000bad03')
    const relayer = await fundedKey(chain)
    const flags = ['--watched-paymasters', paymaster, '--min-paymaster-deposit', '0.2 eth']
    const service = await start([relayer.key], ...flags, ...webhook())
    await mine()
    expect(await receiver.first('paymaster.low-deposit')).toMatchObject({
      ...{ chainId: 31337, paymaster, deposit: '0' },
    })
    expect(await (await fetch(`${service.adminUrl}/metrics`)).text()).toContain(
      `tandem_paymaster_deposit_wei{chain="31337",paymaster="${paymaster}"} 0`,
    )
    await service.stop()
  },
  patience,
)

test(
  'a bundle’s profit is logged when it is mined, and counted when it is final',
  async () => {
    const relayer = await fundedKey(chain)
    const service = await start([relayer.key], '--reorg-depth', '2')
    const op = await operation(chain, account())
    const watch = await watchStates(service.url, [op.sender])
    const hash = await send(service.url, op)
    await watch.all([hash], 'included')
    watch.close()
    // The head that came while it was being sent told nothing of it.
    let line = loggedBy(service, 'bundle mined')
    while (line === undefined) line = await mine().then(() => loggedBy(service, 'bundle mined'))
    const { receipt, actualGasCost } = await call<WireReceipt & { actualGasCost: Hex }>(
      service.url,
      'eth_getUserOperationReceipt',
      hash,
    )
    const raw = await rpc<{ gasUsed: Hex; effectiveGasPrice: Hex }>(chain.url, 'eth_getTransactionReceipt', [
      receipt.transactionHash,
    ])
    const [revenue, cost] = [BigInt(actualGasCost), BigInt(raw.gasUsed) * BigInt(raw.effectiveGasPrice)]
    expect(JSON.parse(line)).toMatchObject({
      ...{ transaction: receipt.transactionHash, revenue: String(revenue), cost: String(cost) },
      profit: String(revenue - cost),
    })
    expect(await balanceOf(relayer.address)).toBe(parseEther('1') + revenue - cost)

    const metrics = async () => (await fetch(`${service.adminUrl}/metrics`)).text()
    let text = await metrics()
    while (!text.includes('tandem_bundle_cost_native_total{')) {
      await mine()
      text = await metrics()
    }
    const native = (wei: bigint) => Number(formatEther(wei))
    expect(text).toContain(
      `tandem_bundle_cost_native_total{chain="31337",outcome="included"} ${native(cost)}`,
    )
    expect(text).toContain(`tandem_bundle_revenue_native_total{chain="31337"} ${native(revenue)}`)
    await service.stop()
  },
  patience,
)

test(
  'relayers are topped up at once, and a kill -9 in the middle pays nobody twice',
  async () => {
    const funding = await fundedKey(chain, parseEther('10'))
    const relayers = [await fundedKey(chain, 0n), await fundedKey(chain, parseEther('0.05'))]
    const directory = scratchDirectory()
    const options = {
      nodeUrl: chain.url,
      relayerKeys: relayers.map(({ key }) => key),
      directory,
      flags: ['--poll-interval', '20', '--funding-key', funding.key, '--multicall', multicall],
    }
    const pendingOf = async () =>
      Number(await rpc<Hex>(chain.url, 'eth_getTransactionCount', [funding.address, 'pending']))
    await rpc(chain.url, 'evm_setAutomine', [false])
    const first = await startService(options)
    while ((await pendingOf()) === 0) await mine().then(() => operatorView(first, 'relayers'))
    await first.kill('SIGKILL')

    const second = await startService(options)
    await rpc(chain.url, 'evm_setAutomine', [true])
    await mine()
    await mine()
    let view = await operatorView(second, 'relayers')
    while (view.relayers.some(({ state }: { state: string }) => state !== 'idle')) {
      await mine()
      view = await operatorView(second, 'relayers')
    }
    expect(await Promise.all(relayers.map(({ address }) => balanceOf(address)))).toEqual([
      parseEther('0.4'),
      parseEther('0.4'),
    ])
    expect(await nonceOf(chain, funding.address)).toBe(1)
    expect(view.funding).toMatchObject({
      ...{ address: privateKeyToAddress(funding.key), spent: parseEther('0.75').toString() },
      ...{ dailyLimit: parseEther('1').toString(), shortage: 'none' },
    })
    expect(await (await fetch(`${second.adminUrl}/metrics`)).text()).toContain(
      `tandem_funding_spent_wei{chain="31337"} ${Number(parseEther('0.75'))}`,
    )
    for (const hidden of [funding.key, funding.key.slice(2)])
      expect(first.log() + second.log()).not.toContain(hidden)
    await second.stop()
  },
  patience,
)

test('a funding key that is a relayer’s is a configuration error', async () => {
  const { key } = await fundedKey(chain)
  const directory = scratchDirectory()
  const flags = ['--rpc-url', chain.url, '--relayer-keys', key, '--funding-key', key]
  const tandem = startTandem(['serve', ...flags], directory)
  expect(await tandem.exited).toBe(2)
  expect(tandem.log()).toContain('fundingKey is one of relayerKeys')
  expect(tandem.log()).not.toContain(key.slice(2))
})
