import type { PaymasterPlan } from './deployment.ts'

/** Gas of the two calls of a paymaster. */
export type PaymasterGas = { validation: bigint; postOp: bigint }

/**
 * More than our paymasters use, for the limits of operations that are not simulated yet. With 8 KiB of calldata, a
 * token behind a proxy, two price feeds and all of them cold: measured by test/contracts/gas.test.ts, a third added.
 * `postOp` is what the contracts demand (POST_OP_GAS, CHARGE_GAS): in 0.6 of verificationGasLimit, which both calls
 * share with the account; from 0.7 on of paymasterPostOpGasLimit.
 */
export const paymasterGas: Readonly<Record<PaymasterPlan['kind'], PaymasterGas>> = {
  sponsor: { validation: 40_000n, postOp: 10_000n },
  verifying: { validation: 25_000n, postOp: 0n },
  token: { validation: 130_000n, postOp: 60_000n },
}
