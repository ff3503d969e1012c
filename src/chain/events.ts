import {
  type Address,
  decodeEventLog,
  type Hash,
  type Hex,
  numberToHex,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import type { BlockRef } from '../types/block.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { IndexedEvent, RawLog, RawReceipt } from '../types/ports/store.ts'

/** The signature is the same in all versions of the EntryPoint. */
export const userOperationEventTopic = toEventSelector(
  'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
)

type NodeLog = RawLog & { transactionHash: Hash; blockNumber: Hex; blockHash: Hash }

/** UserOperationEvents of one block, in order. @throws Unavailable */
export async function readEvents(
  query: { block: BlockRef; entryPoints: readonly Address[] },
  client: NodeClient,
): Promise<IndexedEvent[]> {
  const filter = {
    blockHash: query.block.hash,
    address: query.entryPoints,
    topics: [userOperationEventTopic],
  }
  return parseEvents(client.chainId, await client.request<NodeLog[]>('eth_getLogs', [filter]))
}

/** UserOperationEvents of a range of blocks, in chain order; of one operation when `hash` is given. @throws Unavailable */
export async function scanEvents(
  query: { from: number; to: number; entryPoints: readonly Address[]; hash?: Hash },
  client: NodeClient,
): Promise<IndexedEvent[]> {
  const filter = {
    fromBlock: numberToHex(query.from),
    toBlock: numberToHex(query.to),
    address: query.entryPoints,
    topics: query.hash === undefined ? [userOperationEventTopic] : [userOperationEventTopic, query.hash],
  }
  return parseEvents(client.chainId, await client.request<NodeLog[]>('eth_getLogs', [filter]))
}

/** Receipts of transactions, in one batch; those that the node does not have are left out. */
export async function readReceipts(transactions: readonly Hash[], client: NodeClient): Promise<RawReceipt[]> {
  const asked = transactions.map((hash) =>
    client.request<RawReceipt | null>('eth_getTransactionReceipt', [hash]),
  )
  return (await Promise.all(asked)).filter((receipt) => receipt !== null)
}

/** Whether a block is still part of the chain. @throws Unavailable */
export async function isCanonical(block: BlockRef, client: NodeClient): Promise<boolean> {
  const at = await client.request<{ hash: Hash } | null>('eth_getBlockByNumber', [
    numberToHex(block.number),
    false,
  ])
  return at?.hash === block.hash
}

function parseEvents(chainId: number, logs: readonly NodeLog[]): IndexedEvent[] {
  return logs.map((log) => {
    const { args } = decodeEventLog({
      abi: entryPoint08Abi,
      eventName: 'UserOperationEvent',
      topics: log.topics as [Hex, ...Hex[]],
      data: log.data,
    })
    return {
      chainId,
      entryPoint: log.address,
      hash: args.userOpHash,
      sender: args.sender,
      paymaster: args.paymaster === zeroAddress ? undefined : args.paymaster,
      nonce: args.nonce,
      success: args.success,
      actualGasCost: args.actualGasCost,
      actualGasUsed: args.actualGasUsed,
      transactionHash: log.transactionHash,
      block: { number: Number(log.blockNumber), hash: log.blockHash },
      logIndex: Number(log.logIndex),
    }
  })
}
