import { paymasterOf, type UserOperation } from '../../types/userop.ts'

/** wei that the EntryPoint asks for before execution; in 0.6 a paymaster stands for three verifications. */
export function prefundOf(op: UserOperation): bigint {
  const verifications = op.version === '0.6' && paymasterOf(op) !== undefined ? 3n : 1n
  const gas =
    op.verificationGasLimit * verifications +
    op.callGasLimit +
    op.paymasterVerificationGasLimit +
    op.paymasterPostOpGasLimit +
    op.preVerificationGas
  return gas * op.maxFeePerGas
}
