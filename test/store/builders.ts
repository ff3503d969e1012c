import { type Address, getAddress, type Hash, numberToHex } from 'viem'
import { entryPoints, userOperationHash } from '../../src/types/entrypoint.ts'
import type { IndexedEvent, OperationRecord, RawReceipt } from '../../src/types/ports/store.ts'
import type { JournaledTransaction } from '../../src/types/ports/submitter.ts'
import type { UserOperation } from '../../src/types/userop.ts'

export const chainId = 1337

export const hash = (number: number): Hash => numberToHex(number, { size: 32 })
export const address = (number: number): Address => getAddress(numberToHex(number, { size: 20 }))

export function operation(fields: Partial<UserOperation> = {}): UserOperation {
  return {
    version: '0.7',
    sender: address(0xa1),
    nonce: 0n,
    factory: undefined,
    factoryData: '0x',
    callData: '0xabcd',
    callGasLimit: 100_000n,
    verificationGasLimit: 200_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    paymaster: undefined,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: '0x',
    signature: '0x1234',
    eip7702Auth: undefined,
    ...fields,
  }
}

export function record(fields: Partial<OperationRecord> = {}): OperationRecord {
  const op = fields.op ?? operation()
  return {
    chainId,
    entryPoint: entryPoints[op.version].address,
    hash: userOperationHash(op, chainId),
    op,
    validationLevel: 'basic',
    receivedAt: 1_000,
    state: { kind: 'pending' },
    timestamps: { received: 1_000, pending: 1_001 },
    ...fields,
  }
}

export function transaction(fields: Partial<JournaledTransaction> = {}): JournaledTransaction {
  return {
    chainId,
    bundleId: 'b1',
    relayer: address(0xe1),
    nonce: 7,
    hash: hash(0x71),
    raw: '0x02f8',
    maxFeePerGas: 2n ** 255n,
    maxPriorityFeePerGas: 1n,
    kind: 'bundle',
    createdAt: 5_000,
    ...fields,
  }
}

export function event(fields: Partial<IndexedEvent> = {}): IndexedEvent {
  return {
    chainId,
    entryPoint: entryPoints['0.7'].address,
    hash: hash(0x01),
    sender: address(0xa1),
    paymaster: address(0xb1),
    nonce: 2n ** 200n + 1n,
    success: true,
    actualGasCost: 2n ** 128n,
    actualGasUsed: 123_456n,
    transactionHash: hash(0x71),
    block: { number: 10, hash: hash(0xb10) },
    logIndex: 3,
    ...fields,
  }
}

export function receipt(fields: { transactionHash?: Hash; blockHash?: Hash; blockNumber?: number } = {}) {
  const { transactionHash = hash(0x71), blockHash = hash(0xb10), blockNumber = 10 } = fields
  const made: RawReceipt = {
    transactionHash,
    blockHash,
    blockNumber: numberToHex(blockNumber),
    status: '0x1',
    effectiveGasPrice: '0x3b9aca00',
    contractAddress: null,
    logs: [{ address: address(0xee), topics: [hash(0x99)], data: '0x', logIndex: '0x0', removed: false }],
  }
  return made
}
