import { afterEach, expect, test } from 'bun:test'
import { createNodeClient } from '../../../src/chain/client.ts'
import { createFeeOracle } from '../../../src/chain/fees.ts'
import { createHeadFollower, type HeadFollower } from '../../../src/chain/head.ts'
import { type Anvil, startAnvil } from '../../../src/dev/anvil.ts'
import type { FeeOracle, NodeClient } from '../../../src/types/ports/chain.ts'
import { rpc } from '../../support/devChain.ts'
import { type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts'
import { silentContext } from '../../support/simulation.ts'

const gwei = 1_000_000_000n

let anvil: Anvil
let proxy: FaultyProxy
let client: NodeClient
let heads: HeadFollower
let fees: FeeOracle

async function start(
  chain: { hardfork?: string; extraArguments?: string[] } = {},
  options = { minPriorityFee: 0n },
): Promise<void> {
  anvil = await startAnvil({ port: 0, chainId: 31337, blockTime: undefined, path: undefined, ...chain })
  proxy = startFaultyProxy(anvil.url)
  client = createNodeClient({ chainId: 31337, urls: [proxy.url], timeoutMs: 5000 }, silentContext())
  heads = createHeadFollower(
    { chainId: 31337, pollInterval: 60_000, reorgDepth: 8, catchUp: 20, webSocketUrl: undefined },
    { ...silentContext(), client },
  )
  fees = createFeeOracle(options, { client, heads })
}

afterEach(async () => {
  await heads.stop()
  await client.close()
  await proxy.stop()
  await anvil.stop()
})

test('quotes the base fee of the next block', async () => {
  await start()
  await heads.start([])
  const { baseFeePerGas } = await rpc<{ baseFeePerGas: `0x${string}`[] }>(anvil.url, 'eth_feeHistory', [
    '0x1',
    'latest',
    [],
  ])
  const next = BigInt(baseFeePerGas[1] ?? 0)
  const quote = await fees.quote()
  expect(next).toBeGreaterThan(0n)
  expect([quote.baseFee, quote.legacy]).toEqual([next, false])
  expect(quote.maxFeePerGas).toBe(next * 2n + quote.maxPriorityFeePerGas)
})

test('asks the node once a block, whoever asks', async () => {
  await start()
  await heads.start([])
  const [first, second] = await Promise.all([fees.quote(), fees.quote()])
  expect(first).toBe(second)
  await fees.quote()
  expect(proxy.calls.get('eth_feeHistory')).toBe(1)
  await rpc(anvil.url, 'anvil_mine', [1])
  await heads.refresh()
  await fees.quote()
  expect(proxy.calls.get('eth_feeHistory')).toBe(2)
})

test('a chain before EIP-1559 has one gas price', async () => {
  await start({ hardfork: 'berlin' })
  await heads.start([])
  const price = BigInt(await rpc<string>(anvil.url, 'eth_gasPrice'))
  expect(await fees.quote()).toEqual({
    baseFee: 0n,
    maxFeePerGas: price,
    maxPriorityFeePerGas: price,
    legacy: true,
  })
})

test('a chain with a base fee of zero asks for the tip only', async () => {
  await start({ extraArguments: ['--base-fee', '0'] }, { minPriorityFee: gwei })
  await heads.start([])
  const quote = await fees.quote()
  expect([quote.baseFee, quote.legacy]).toEqual([0n, false])
  expect(quote.maxFeePerGas).toBe(quote.maxPriorityFeePerGas)
  expect(quote.maxPriorityFeePerGas).toBeGreaterThanOrEqual(gwei)
})

test('a node without a fee history is asked for its gas price', async () => {
  await start()
  await heads.start([])
  proxy.refuse(['eth_feeHistory'], { code: -32601, message: 'method not found' })
  const price = BigInt(await rpc<string>(anvil.url, 'eth_gasPrice'))
  const base = heads.current?.baseFeePerGas ?? 0n
  const tip = price > base ? price - base : 0n
  const next = (base * 9n) / 8n
  expect(await fees.quote()).toEqual({
    baseFee: next,
    maxFeePerGas: next * 2n + tip,
    maxPriorityFeePerGas: tip,
    legacy: false,
  })
})

test('a quote that failed is asked for again', async () => {
  await start()
  await expect(fees.quote()).rejects.toThrow()
  await heads.start([])
  proxy.mode = 'garbage'
  await expect(fees.quote()).rejects.toThrow()
  proxy.mode = 'pass'
  expect((await fees.quote()).legacy).toBe(false)
})
