import { type Hex, numberToHex, size } from 'viem'
import { paymasterOf, type UserOperation } from '../types/userop.ts'

/** A missing signature counts as the 65 bytes that an owner's has. */
const signatureBytes = 65

/**
 * Bytes that fees and gas limits count as, at least: up to 1,099 gwei and 16.7 million gas. A wallet may offer other
 * fees than the recommended ones and add to the limits after its estimate; a byte that it does not use costs 12 gas.
 */
const feeBytes = 5
const limitBytes = 3

/**
 * The operation with stand-ins of the same length for all that a wallet may still change after its estimate, so that
 * an estimate and what is sent are measured alike.
 * @param fill so many bytes, none of them zero
 */
export function withStandIns(op: UserOperation, fill: (bytes: number) => Hex): UserOperation {
  const paymasterBytes = paymasterOf(op) === undefined ? 1 : limitBytes
  const like = (value: bigint, leastBytes: number) =>
    BigInt(fill(Math.max(leastBytes, size(numberToHex(value)))))
  return {
    ...op,
    callGasLimit: like(op.callGasLimit, limitBytes),
    verificationGasLimit: like(op.verificationGasLimit, limitBytes),
    // Below 16.7 million for certain, and not known when this is worked out for an estimate.
    preVerificationGas: like(0n, limitBytes),
    maxFeePerGas: like(op.maxFeePerGas, feeBytes),
    maxPriorityFeePerGas: like(op.maxPriorityFeePerGas, feeBytes),
    paymasterVerificationGasLimit: like(op.paymasterVerificationGasLimit, paymasterBytes),
    paymasterPostOpGasLimit: like(op.paymasterPostOpGasLimit, paymasterBytes),
    signature: fill(Math.max(size(op.signature), signatureBytes)),
  }
}
