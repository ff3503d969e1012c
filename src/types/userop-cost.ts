import { size } from 'viem'
import { paymasterOf, type UserOperation } from './userop.ts'
import { initCodeOf } from './userop-pack.ts'

/**
 * The most gas that an operation can be charged for. With a paymaster, 0.6 lets each of the paymaster's two calls
 * use verificationGasLimit too, so it counts three times.
 */
export function operationGas(op: UserOperation): bigint {
  const verifications = op.version === '0.6' && paymasterOf(op) !== undefined ? 3n : 1n
  return (
    op.callGasLimit +
    op.verificationGasLimit * verifications +
    op.paymasterVerificationGasLimit +
    op.paymasterPostOpGasLimit +
    op.preVerificationGas
  )
}

/** wei that the EntryPoint takes before execution, and of which it returns the rest: gas × maxFeePerGas. */
export function requiredPrefund(op: UserOperation): bigint {
  return operationGas(op) * op.maxFeePerGas
}

/** Words of the struct in handleOps: its offset, its eleven (nine) members, a length for each of its bytes. */
const structBytes = 16 * 32

const padded = (bytes: number): number => Math.ceil(bytes / 32) * 32

/**
 * An EIP-7702 authorization in RLP, at most: chain id (9), address (21), nonce (9), parity (1), signature (66), and the
 * head of the list (2).
 */
const authorizationBytes = 108

/** Bytes that an operation adds to the transaction of its bundle, at most a word off. */
export function operationBytes(op: UserOperation): number {
  const paymaster = op.paymaster === undefined ? 0 : 52 + size(op.paymasterData)
  const parts = [size(initCodeOf(op)), size(op.callData), paymaster, size(op.signature)]
  const besides = op.eip7702Auth === undefined ? 0 : authorizationBytes
  return parts.reduce((sum, part) => sum + padded(part), structBytes + besides)
}

/** wei per gas that a bundler earns at `baseFee`; negative when the operation cannot even pay the base fee. */
export function effectivePriorityFee(op: UserOperation, baseFee: bigint): bigint {
  const left = op.maxFeePerGas - baseFee
  return left < op.maxPriorityFeePerGas ? left : op.maxPriorityFeePerGas
}
