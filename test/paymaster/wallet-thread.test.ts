import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Address, parseEther } from 'viem'
import type { RunningSubmitter } from '../../src/bundler/submitter/submitter.ts'
import { startSubmitterThread } from '../../src/bundler/submitter/thread.ts'
import type { WalletOrder } from '../../src/types/ports/wallets.ts'
import { newWalletId } from '../../src/types/wallet-id.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { type FaultyProxy, type ProxyMode, startFaultyProxy } from '../support/faultyProxy.ts'
import { newKey } from '../support/paymasters.ts'
import { silentContext } from '../support/simulation.ts'
import { chainSettings, fees, fundedKey, type HostRecord, nonceOf, recordHost } from '../support/submitter.ts'
import { balanceOf } from '../support/walletWorld.ts'

let chain: DevChain
let proxy: FaultyProxy
let host: HostRecord
let submitter: RunningSubmitter
/** What happens to the node between signing and sending. */
let fault: ProxyMode = 'pass'

beforeAll(async () => {
  chain = await startDevChain()
  await rpc(chain.url, 'evm_setAutomine', [false])
  proxy = startFaultyProxy(chain.url)
  host = recordHost()
  const { journal } = host
  host.journal = async (argument) => {
    await journal(argument)
    proxy.mode = fault
  }
  const fatal = (error: Error) => {
    throw error
  }
  submitter = await startSubmitterThread({ logLevel: 'silent' }, host, { ...silentContext(), onFatal: fatal })
  await submitter.open({ chain: { ...chainSettings(chain, []), nodeUrls: [proxy.url] }, journal: [] })
}, 60_000)
afterAll(async () => {
  await submitter?.stop()
  await proxy?.stop()
  await chain?.stop()
})

/** A wallet that the thread knows, and its transfer to a stranger. */
async function transfer(changes: Partial<WalletOrder> = {}): Promise<WalletOrder> {
  const { key, address } = await fundedKey(chain, parseEther('1'))
  await submitter.openWallet({ chainId: chain.chainId, key })
  const [to, id] = [newKey().address, newWalletId()]
  const call = { to, data: '0x', value: 7n, gasLimit: 21_000n } as const
  return { chainId: chain.chainId, id, wallet: address, ...call, fees, whileOpen: 'add', ...changes }
}

/** wei that arrived, and transactions that it took. */
async function effect({ to, wallet }: { to: Address; wallet: Address }) {
  await rpc(chain.url, 'evm_mine')
  return { received: await balanceOf(chain, to), nonce: await nonceOf(chain, wallet) }
}

const submitted = async ({ id }: WalletOrder) => {
  while (!host.events.some(({ bundleId, kind }) => bundleId === id && kind === 'submitted')) await host.next()
}

test('a wallet whose key is in the thread sends', async () => {
  const order = await transfer()
  expect(await submitter.sendFromWallet(order)).toMatchObject({ kind: 'accepted' })
  expect(await effect(order)).toEqual({ received: 7n, nonce: 1 })
})

test.each(['down', 'truncated', 'garbage', 'unavailable'] as const)(
  'a node that is %s between signing and answer gets the same transaction again',
  async (mode) => {
    const order = await transfer()
    fault = mode
    const answer = submitter.sendFromWallet(order)
    await submitted(order)
    fault = 'pass'
    proxy.mode = 'pass'
    expect(await answer).toMatchObject({ kind: 'accepted' })
    expect(await effect(order)).toEqual({ received: 7n, nonce: 1 })
  },
  20_000,
)

test('what the wallet cannot pay with its gas is not signed', async () => {
  const cost = 21_000n * fees.maxFeePerGas
  const over = await transfer({ value: parseEther('1') - cost + 1n })
  expect(await submitter.sendFromWallet(over)).toEqual({ kind: 'short' })
  const exact = { ...over, value: parseEther('1') - cost }
  expect(await submitter.sendFromWallet(exact)).toMatchObject({ kind: 'accepted' })
  expect(await effect(exact)).toEqual({ received: parseEther('1') - cost, nonce: 1 })
})

test('what no node takes is forgotten, and its nonce is used by the next', async () => {
  const bad = await transfer({ gasLimit: 20_000n })
  expect(await submitter.sendFromWallet(bad)).toEqual({ kind: 'refused' })
  const good = { ...bad, id: newWalletId(), gasLimit: 21_000n }
  expect(await submitter.sendFromWallet(good)).toMatchObject({ kind: 'accepted' })
  expect(await effect(good)).toEqual({ received: 7n, nonce: 1 })
  expect(host.open.has(bad.id)).toBe(false)
})

test('a wallet that nobody has handed over sends nothing', async () => {
  const order = await transfer({ wallet: newKey().address })
  const error = await submitter.sendFromWallet(order).catch((caught) => caught)
  expect(error).toMatchObject({ name: 'Unavailable', what: `the wallet ${order.wallet} is not open` })
})
