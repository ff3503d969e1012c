import { decodeEventLog, type Hex, isAddressEqual, toEventSelector } from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import type { IndexedEvent, RawLog, RawReceipt } from '../types/ports/store.ts'
import { userOperationEventTopic } from './events.ts'

const beforeExecutionTopic = toEventSelector('BeforeExecution()')
const revertReasonTopics: readonly Hex[] = [
  toEventSelector('UserOperationRevertReason(bytes32,address,uint256,bytes)'),
  toEventSelector('PostOpRevertReason(bytes32,address,uint256,bytes)'),
]

/**
 * The logs of one operation: those between its start (the end of the validation phase, or the operation before it)
 * and its own UserOperationEvent, which is the last of them.
 */
export function logsOfOperation(receipt: RawReceipt, event: IndexedEvent): readonly RawLog[] {
  const { logs } = receipt
  const end = logs.findIndex((log) => Number(log.logIndex) === event.logIndex)
  const isBoundary = (log: RawLog) =>
    isAddressEqual(log.address, event.entryPoint) &&
    (log.topics[0] === userOperationEventTopic || log.topics[0] === beforeExecutionTopic)
  const start = logs.slice(0, Math.max(end, 0)).findLastIndex(isBoundary)
  return logs.slice(start + 1, end + 1)
}

/** The bytes that the operation's call or its paymaster's postOp reverted with. */
export function revertBytes(receipt: RawReceipt, event: IndexedEvent): Hex | undefined {
  const log = logsOfOperation(receipt, event).find(
    ({ address, topics }) =>
      isAddressEqual(address, event.entryPoint) &&
      revertReasonTopics.includes(topics[0] ?? '0x') &&
      topics[1] === event.hash,
  )
  if (log === undefined) return undefined
  const decoded = decodeEventLog({
    abi: entryPoint08Abi,
    topics: log.topics as [Hex, ...Hex[]],
    data: log.data,
  })
  return 'revertReason' in decoded.args ? decoded.args.revertReason : undefined
}
