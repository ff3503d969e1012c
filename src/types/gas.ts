/** The gas limits that an operation needs, in gas; the paymaster's are 0n where there is none (or in 0.6). */
export type GasLimits = {
  verificationGasLimit: bigint
  callGasLimit: bigint
  paymasterVerificationGasLimit: bigint
  paymasterPostOpGasLimit: bigint
}

/** `GasLimits` that were simulated and hold, with the time range the operation declared (s since 1970). */
export type SimulatedGas = GasLimits & { validAfter: number | undefined; validUntil: number | undefined }

/** The answer of eth_estimateUserOperationGas before it is put on the wire. */
export type GasEstimate = SimulatedGas & {
  preVerificationGas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}
