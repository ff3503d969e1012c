import type { UserOperation } from '../../types/userop.ts'

/** gas of an opcode, on average, in code that does something */
const gasOfStep = 2n
/** opcodes of the EntryPoint's own for an operation: some thousands, more for long callData */
const overhead = 200_000n

/** Opcodes that the validation of these operations may take, by the gas that they may use for it. */
export function validationSteps(ops: readonly UserOperation[]): number {
  const gas = ops.reduce((sum, op) => sum + validationGas(op), 0n)
  return Number(gas / gasOfStep + overhead * BigInt(ops.length))
}

/** In 0.6 account, factory and paymaster may use as much each. */
function validationGas({
  version,
  verificationGasLimit,
  paymasterVerificationGasLimit,
}: UserOperation): bigint {
  return version === '0.6' ? 3n * verificationGasLimit : verificationGasLimit + paymasterVerificationGasLimit
}
