import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Hash, Hex } from 'viem'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { call, RpcError, send, type WireReceipt } from '../support/client.ts'
import { rpc } from '../support/devChain.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faultyProxy.ts'
import { type Load, type LoadedService, startLoad } from '../support/load.ts'

/** Longer than any test takes, since a test that is cut off takes the chain with it. */
const deadline = 60_000
const senders = 5
const entryPoint = entryPoints['0.7'].address

let load: Load
let node: FaultyProxy
let service: LoadedService

beforeAll(async () => {
  load = await startLoad(senders)
})
afterAll(() => load?.stop())

beforeEach(() => {
  node = startFaultyProxy(load.chain.url)
})
afterEach(async () => {
  await service?.stop()
  await node.stop()
})

const ask = <Result>(method: string, ...params: unknown[]) => call<Result>(service.url, method, ...params)
const statusOf = (hash: Hash) => ask<{ status: string }>('bundler_getUserOperationStatus', hash)
const receiptOf = (hash: Hash) => ask<WireReceipt | null>('eth_getUserOperationReceipt', hash)
const nodeAddress = () => [node.url]

for (const [what, error] of [
  ['an internal error', { code: -32603, message: 'Internal error' }],
  ['an error in words that nobody knows', { code: -32000, message: 'database is corrupt' }],
  ['a limit', { code: -32005, message: 'limit exceeded' }],
] as const) {
  test(
    `fault 1: a node that answers the check of a bundle with ${what} rejects nobody`,
    async () => {
      service = await load.serve(nodeAddress(), ['--testing'])
      await ask('debug_bundler_setBundlingMode', 'manual')
      const hashes = await service.wave()
      node.refuse(['eth_call'], error)
      expect(await ask<string>('debug_bundler_sendBundleNow')).toBe('ok')
      for (const hash of hashes) expect(await statusOf(hash)).toMatchObject({ status: 'pending' })
      node.refuse([])
      await ask('debug_bundler_setBundlingMode', 'auto')
      await service.included(hashes)
    },
    deadline,
  )
}

test(
  'fault 14: a WebSocket that dies silently costs no block, and is opened anew',
  async () => {
    service = await load.serve([node.webSocketUrl, node.url])
    node.mode = 'silent-sockets'
    const reopened = node.nextSocket().then(() => 'reopened' as const)
    const waveByWave = async () => service.included(await service.wave())
    // Each block that polling finds first is one that the WebSocket has not announced.
    while ((await Promise.race([reopened, waveByWave()])) !== 'reopened');
    node.mode = 'pass'
    await waveByWave()
    expect(service.log()).toContain('WebSocket is silent')
  },
  deadline,
)

test(
  'fault 15: where one of two nodes behind an address has not got the newest block, nobody is told no',
  async () => {
    service = await load.serve(nodeAddress())
    node.mode = 'half-behind'
    await service.included([...(await service.wave()), ...(await service.wave())])
  },
  deadline,
)

test(
  'fault 15: a block that no node has makes an operation unknown, not rejected, and it is accepted later',
  async () => {
    service = await load.serve(nodeAddress(), ['--testing'])
    node.mode = 'unknown-block'
    const codes: number[] = []
    const hashes = await service.wave(async (url, op) => {
      for (;;) {
        try {
          return await send(url, op)
        } catch (error) {
          if (!(error instanceof RpcError)) throw error
          codes.push(error.error.code)
          node.mode = 'pass'
        }
      }
    })
    expect(new Set(codes)).toEqual(new Set([-32603]))
    expect(await ask<{ opsSeen: Hex }[]>('debug_bundler_dumpReputation', entryPoint)).toEqual([])
    await service.included(hashes)
  },
  deadline,
)

/** What the service asks by itself meanwhile: for heads, for what its relayers have, and whether one call can tell that. */
const unasked = ['eth_getBlockByNumber', 'eth_getBalance', 'eth_getCode']

test(
  'fault 18: receipts come from the index: no logs are scanned, and the node is not asked at all',
  async () => {
    service = await load.serve(nodeAddress())
    const hashes = await service.wave()
    await service.included(hashes)
    node.refuse(['eth_getLogs', 'eth_getTransactionReceipt', 'eth_getTransactionByHash'], {
      code: -32601,
      message: 'the method is forbidden',
    })
    node.calls.clear()
    for (const hash of hashes) {
      expect(await receiptOf(hash)).toMatchObject({ userOpHash: hash, success: true })
      expect(await ask('eth_getUserOperationByHash', hash)).toMatchObject({ blockNumber: expect.any(String) })
    }
    const asked = [...node.calls.keys()].filter((method) => !unasked.includes(method))
    expect(asked).toEqual([])
  },
  deadline,
)

test(
  'fault 19: a fee history counts each operation of a bundle once, and has no gaps',
  async () => {
    service = await load.serve(nodeAddress(), ['--testing'])
    await ask('debug_bundler_setBundlingMode', 'manual')
    const hashes = await service.wave()
    const before = Number(await rpc<Hex>(load.chain.url, 'eth_blockNumber'))
    const transaction = await ask<Hash>('debug_bundler_sendBundleNow')
    await service.included(hashes)
    const receipts = await Promise.all(hashes.map(receiptOf))
    expect(new Set(receipts.map((receipt) => receipt?.receipt.transactionHash))).toEqual(
      new Set([transaction]),
    )
    const blocks = Number(receipts[0]?.receipt.blockNumber) - before
    const gasPrice = (receipt: unknown) => {
      const { actualGasCost, actualGasUsed } = receipt as { actualGasCost: Hex; actualGasUsed: Hex }
      return BigInt(actualGasCost) / BigInt(actualGasUsed)
    }
    const history = await ask<Record<'actualGasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas', Hex[]>>(
      'bundler_feeHistory',
      entryPoint,
      blocks,
      'latest',
    )
    expect(history.maxFeePerGas).toEqual(Array(senders).fill('0x12a05f200'))
    expect(history.maxPriorityFeePerGas).toEqual(Array(senders).fill('0x3b9aca00'))
    const sorted = (prices: readonly bigint[]) => prices.map(String).sort()
    expect(sorted(history.actualGasPrice.map(BigInt))).toEqual(sorted(receipts.map(gasPrice)))
  },
  deadline,
)
