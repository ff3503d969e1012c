import { Type } from '@sinclair/typebox'
import type { Json } from '../base/errors.ts'
import { requireShallow } from './depth.ts'
import { filterMethods } from './filters.ts'
import type { Method } from './method.ts'

/** Standard methods that the node answers, with their prices in credits (interface.md, Limits). */
const prices: Readonly<Record<string, number>> = {
  web3_sha3: 5,
  net_version: 5,
  net_listening: 5,
  net_peerCount: 5,
  eth_protocolVersion: 5,
  eth_blockNumber: 5,
  eth_getBlockTransactionCountByHash: 5,
  eth_getBlockTransactionCountByNumber: 5,
  eth_getCode: 5,
  eth_gasPrice: 10,
  eth_getBalance: 10,
  eth_getStorageAt: 10,
  eth_getTransactionCount: 10,
  eth_getUncleCountByBlockHash: 10,
  eth_getUncleCountByBlockNumber: 10,
  eth_getBlockByHash: 10,
  eth_getBlockByNumber: 10,
  eth_getTransactionByBlockHashAndIndex: 10,
  eth_getTransactionByBlockNumberAndIndex: 10,
  eth_getUncleByBlockHashAndIndex: 10,
  eth_getUncleByBlockNumberAndIndex: 10,
  eth_maxPriorityFeePerGas: 10,
  eth_call: 10,
  eth_estimateGas: 10,
  eth_getTransactionByHash: 10,
  eth_getTransactionReceipt: 10,
  eth_feeHistory: 20,
  eth_getLogs: 50,
  eth_sendRawTransaction: 50,
}

/** Handed to the node as they are, within a budget of their own; its errors come back as they are. */
const plain: readonly Method[] = Object.entries(prices).map(([name, price]) => ({
  name,
  price,
  params: undefined,
  result: Type.Unknown(),
  run(params, { chain: { bundler, nodeBudget } }) {
    requireShallow(params)
    return nodeBudget.run(async () => (await bundler.node.request<Json | undefined>(name, params)) ?? null)
  },
}))

/** All that is for the node. */
export const passedThrough: readonly Method[] = [...plain, ...filterMethods]
