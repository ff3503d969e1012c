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

/**
 * What an operation takes of its bundle's gas at most, and what must be left besides while it runs, since a call keeps
 * back 1/64 (EIP-150). Of a bundle's operations the `taken` add up; the largest `reserve` serves them all.
 */
export type GasInBundle = { taken: bigint; reserve: bigint }
