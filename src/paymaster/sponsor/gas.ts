import { size } from 'viem'
import { paymasterGas } from '../../contracts/paymaster/gas.ts'
import type { GasEstimate } from '../../types/gas.ts'
import type { PaymasterFields } from '../../types/ports/paymaster.ts'
import type { UserOperation } from '../../types/userop.ts'
import { initCodeOf } from '../../types/userop-pack.ts'
import type { Payer } from './payer.ts'

/** Gas that an EntryPoint takes itself inside paymasterVerificationGasLimit: the deposit (a cold slot) and the call. */
const callGas = 12_000n
/** gas for a byte of the operation, which is copied to the paymaster's call */
const perByte = 3n
/** Limits are rounded up to whole thousands, so that a signature of another length needs no other limit. */
const step = 1_000n

type Limits = Pick<PaymasterFields, 'paymasterVerificationGasLimit' | 'paymasterPostOpGasLimit'>

/** The paymaster's own gas limits, from 0.7 on; what the operation carries already is kept. */
export function paymasterLimits(kind: Payer['kind'], op: UserOperation): Limits {
  if (op.version === '0.6') return { paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n }
  const { validation, postOp } = paymasterGas[kind]
  const bytes = BigInt(size(op.callData) + size(initCodeOf(op)) + size(op.signature))
  return {
    paymasterVerificationGasLimit:
      op.paymasterVerificationGasLimit || roundUp(validation + callGas + perByte * bytes),
    paymasterPostOpGasLimit: op.paymasterPostOpGasLimit || postOp,
  }
}

/**
 * An estimate of an operation with a stub of ours, with the paymaster's real cost inside. A shared and a token paymaster
 * stop early at a signature that is none, so what was measured of them is too little.
 */
export function withPaymasterGas(estimate: GasEstimate, kind: Payer['kind'], op: UserOperation): GasEstimate {
  if (op.version !== '0.6') {
    const own = paymasterLimits(kind, {
      ...op,
      paymasterVerificationGasLimit: 0n,
      paymasterPostOpGasLimit: 0n,
    })
    return {
      ...estimate,
      paymasterVerificationGasLimit: larger(
        estimate.paymasterVerificationGasLimit,
        own.paymasterVerificationGasLimit,
      ),
      paymasterPostOpGasLimit: larger(estimate.paymasterPostOpGasLimit, own.paymasterPostOpGasLimit),
    }
  }
  if (kind === 'verifying') return estimate
  // One limit for account and paymaster, and anew for postOp.
  const { validation, postOp } = paymasterGas[kind]
  return {
    ...estimate,
    verificationGasLimit: larger(estimate.verificationGasLimit + validation, postOp),
  }
}

const roundUp = (gas: bigint): bigint => ((gas + step - 1n) / step) * step
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
