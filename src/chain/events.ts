import {
  type Address,
  decodeAbiParameters,
  getAddress,
  type Hash,
  type Hex,
  isAddressEqual,
  numberToHex,
  parseAbiParameters,
  slice,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { Unavailable } from '../base/errors.ts'
import type { BlockRef } from '../types/block.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { IndexedEvent, RawReceipt } from '../types/ports/store.ts'
import { LogsUnknown, type NodeLog, readLogs } from './logs.ts'

/** The signature is the same in all versions of the EntryPoint. */
export const userOperationEventTopic = toEventSelector(
  'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
)

/** What is not indexed of it. viem's decoder of whole events hashes every signature of the ABI for each log. */
const eventData = parseAbiParameters(
  'uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed',
)

/** Blocks below the newest one whose logs every node has: what geth keeps of states, and less than any keeps of logs. */
const kept = 128

/** The nodes have no logs of a block as old as this any more. */
export class LogsPruned extends Unavailable {
  override readonly name = 'LogsPruned'
}

/**
 * UserOperationEvents of one block, in order.
 * @param query.newest number of the newest block
 * @throws LogsPruned, Unavailable
 */
export async function readEvents(
  query: { block: BlockRef; newest: number; entryPoints: readonly Address[] },
  client: NodeClient,
): Promise<IndexedEvent[]> {
  const { block, newest } = query
  const filter = { blockHash: block.hash, address: query.entryPoints, topics: [userOperationEventTopic] }
  try {
    const logs = await readLogs(filter, client)
    if (logs.some((log) => log.blockHash !== block.hash))
      throw new Unavailable('eth_getLogs: logs of another block')
    return parseEvents(client.chainId, logs)
  } catch (error) {
    if (error instanceof LogsUnknown && newest - block.number >= kept)
      throw new LogsPruned(`no logs of block ${block.number}`, { cause: error })
    throw error
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
  // A node that has not got that far cannot tell.
  if (at === null) throw new Unavailable(`block ${block.number} is not known`)
  return at.hash === block.hash
}

/** @throws Unavailable for what is no such event */
export function parseEvents(chainId: number, logs: readonly NodeLog[]): IndexedEvent[] {
  return logs.map((log) => {
    const args = argumentsOf(log)
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

function argumentsOf({ topics, data }: NodeLog) {
  try {
    const [selector, userOpHash, sender, paymaster] = topics
    if (selector !== userOperationEventTopic || !userOpHash || !sender || !paymaster)
      throw new Error('no UserOperationEvent')
    const [nonce, success, actualGasCost, actualGasUsed] = decodeAbiParameters(eventData, data)
    return {
      userOpHash,
      sender: addressIn(sender),
      paymaster: addressIn(paymaster),
      ...{ nonce, success, actualGasCost, actualGasUsed },
    }
  } catch (error) {
    throw new Unavailable('the node gave a log that was not asked for', { cause: error })
  }
}

/** bytes before the address in a topic */
const padding = 12

const addressIn = (topic: Hex): Address => getAddress(slice(topic, padding, undefined, { strict: true }))
