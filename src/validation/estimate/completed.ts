import { concatHex, type Hex, numberToHex, size } from 'viem'
import type { GasLimits } from '../../types/gas.ts'
import { paymasterOf, type UserOperation } from '../../types/userop.ts'

/**
 * The limits that the operation carries while it is measured. They decide only the amounts that account and paymaster
 * are asked for, so they are what a large operation has: a token paymaster looks whether the sender has that much.
 */
export const assumedLimits: GasLimits = {
  verificationGasLimit: 1_000_000n,
  callGasLimit: 1_000_000n,
  paymasterVerificationGasLimit: 300_000n,
  paymasterPostOpGasLimit: 100_000n,
}
/** gas; the real one is worked out from the estimate, and is about this for a small operation */
const assumedPreVerificationGas = 60_000n

/** The operation with these limits, and with all that a caller may have left out. */
export function completed(op: UserOperation, limits: GasLimits): UserOperation {
  const hasPaymaster = paymasterOf(op) !== undefined && op.version !== '0.6'
  return {
    ...op,
    ...limits,
    paymasterVerificationGasLimit: hasPaymaster ? limits.paymasterVerificationGasLimit : 0n,
    paymasterPostOpGasLimit: hasPaymaster ? limits.paymasterPostOpGasLimit : 0n,
    preVerificationGas: op.preVerificationGas === 0n ? assumedPreVerificationGas : op.preVerificationGas,
    // The most that the operation can be asked to pay, whatever the base fee will be.
    maxPriorityFeePerGas: op.maxFeePerGas,
    signature: signedSomehow(op).signature,
  }
}

/** The operation with a signature that an account can read, if not accept: for one that is not signed yet. */
export function signedSomehow(op: UserOperation): UserOperation {
  return size(op.signature) < size(dummySignature) ? { ...op, signature: dummySignature } : op
}

/** 65 bytes that ecrecover takes, with a low s: checking it costs what a real one costs and does not revert. */
const dummySignature: Hex = concatHex([
  numberToHex(2n ** 256n - 2n ** 132n, { size: 32 }),
  `0x7${'a'.repeat(63)}`,
  '0x1c',
])
