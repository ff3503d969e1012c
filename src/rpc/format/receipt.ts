import { type Static, Type } from '@sinclair/typebox'
import type { UserOperationReceipt } from '../../types/ports/bundler.ts'
import type { RawLog, RawReceipt } from '../../types/ports/store.ts'
import { address, ChecksumAddress, Data, data, Quantity, quantity, Word } from './wire.ts'

const LogSchema = Type.Object({
  transactionIndex: Quantity,
  blockNumber: Quantity,
  transactionHash: Word,
  address: ChecksumAddress,
  topics: Type.Array(Word),
  data: Data,
  logIndex: Quantity,
  blockHash: Word,
})

const TransactionReceiptSchema = Type.Object({
  to: ChecksumAddress,
  from: ChecksumAddress,
  contractAddress: Type.Union([ChecksumAddress, Type.Null()]),
  transactionIndex: Quantity,
  gasUsed: Quantity,
  logsBloom: Data,
  blockHash: Word,
  transactionHash: Word,
  logs: Type.Array(LogSchema),
  blockNumber: Quantity,
  confirmations: Quantity,
  cumulativeGasUsed: Quantity,
  effectiveGasPrice: Quantity,
  status: Quantity,
  type: Quantity,
  byzantium: Type.Boolean(),
})

/** interface.md, UserOperation receipt, with what answers.md §1 adds. */
export const ReceiptSchema = Type.Object({
  userOpHash: Word,
  entryPoint: ChecksumAddress,
  sender: ChecksumAddress,
  nonce: Quantity,
  paymaster: Type.Optional(ChecksumAddress),
  actualGasCost: Quantity,
  actualGasUsed: Quantity,
  success: Type.Boolean(),
  reason: Type.Optional(Type.String()),
  logs: Type.Array(LogSchema),
  receipt: TransactionReceiptSchema,
})

export function formatReceipt(found: UserOperationReceipt): Static<typeof ReceiptSchema> {
  const { event, receipt, logs, confirmations, reason } = found
  const inReceipt = (log: RawLog) => formatLog(log, receipt)
  return {
    userOpHash: event.hash,
    entryPoint: address(event.entryPoint),
    sender: address(event.sender),
    nonce: quantity(event.nonce),
    ...(event.paymaster === undefined ? {} : { paymaster: address(event.paymaster) }),
    actualGasCost: quantity(event.actualGasCost),
    actualGasUsed: quantity(event.actualGasUsed),
    success: event.success,
    ...(reason === undefined ? {} : { reason }),
    logs: logs.map(inReceipt),
    receipt: {
      to: address(typeof receipt.to === 'string' ? receipt.to : event.entryPoint),
      from: address(String(receipt.from)),
      contractAddress: typeof receipt.contractAddress === 'string' ? address(receipt.contractAddress) : null,
      transactionIndex: quantity(receipt.transactionIndex),
      gasUsed: quantity(receipt.gasUsed),
      logsBloom: data(receipt.logsBloom),
      blockHash: data(receipt.blockHash),
      transactionHash: data(receipt.transactionHash),
      logs: receipt.logs.map(inReceipt),
      blockNumber: quantity(receipt.blockNumber),
      confirmations: quantity(confirmations),
      cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
      effectiveGasPrice: quantity(receipt.effectiveGasPrice),
      status: quantity(receipt.status),
      type: quantity(receipt.type),
      byzantium: true,
    },
  }
}

/** Where a node leaves the place of a log to its receipt, it is taken from there. */
function formatLog(log: RawLog, receipt: RawReceipt): Static<typeof LogSchema> {
  return {
    transactionIndex: quantity(log.transactionIndex ?? receipt.transactionIndex),
    blockNumber: quantity(log.blockNumber ?? receipt.blockNumber),
    transactionHash: data(log.transactionHash ?? receipt.transactionHash),
    address: address(log.address),
    topics: log.topics.map(data),
    data: data(log.data),
    logIndex: quantity(log.logIndex),
    blockHash: data(log.blockHash ?? receipt.blockHash),
  }
}
