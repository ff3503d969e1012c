import {
  type Address,
  decodeEventLog,
  getAddress,
  type Hash,
  type Hex,
  isAddressEqual,
  numberToHex,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import { type Json, Unavailable } from '../base/errors.ts'
import type { BlockRef } from '../types/block.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { IndexedEvent, RawLog, RawReceipt } from '../types/ports/store.ts'
import { NodeError } from './node-error.ts'

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
  return parseEvents(client.chainId, await readLogs(filter, client))
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
  return parseEvents(client.chainId, await readLogs(filter, client))
}

/** Our own question: whatever a node has against it, it is no verdict about an operation. */
async function readLogs(filter: Json, client: NodeClient): Promise<NodeLog[]> {
  try {
    return await client.request<NodeLog[]>('eth_getLogs', [filter])
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    throw new Unavailable(`eth_getLogs: ${error.message}`, { cause: error })
  }
}

/**
 * Receipts of transactions that are in a block, in one batch.
 * @throws Unavailable when the node does not have one: it is behind, or the block left the chain
 */
export function readReceipts(transactions: readonly Hash[], client: NodeClient): Promise<RawReceipt[]> {
  return Promise.all(
    transactions.map(async (hash) => {
      const receipt = await client.request<RawReceipt | null>('eth_getTransactionReceipt', [hash])
      if (receipt === null) throw new Unavailable(`no receipt of ${hash} yet`)
      return receipt
    }),
  )
}

/** UserOperationEvents of one EntryPoint in a receipt, in order. */
export function eventsIn(receipt: RawReceipt, entryPoint: Address, chainId: number): IndexedEvent[] {
  const { transactionHash, blockNumber, blockHash } = receipt
  const logs = receipt.logs.filter(
    ({ address, topics }) => topics[0] === userOperationEventTopic && isAddressEqual(address, entryPoint),
  )
  return parseEvents(
    chainId,
    logs.map((log) => ({ ...log, transactionHash, blockNumber, blockHash })),
  )
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
      entryPoint: getAddress(log.address),
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
