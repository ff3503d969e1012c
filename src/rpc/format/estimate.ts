import { type Static, Type } from '@sinclair/typebox'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { GasEstimate } from '../../types/gas.ts'
import { Quantity, quantity } from './wire.ts'

/** interface.md, Gas estimate; the paymaster's limits from 0.7 on, the time range where the operation has one. */
export const EstimateSchema = Type.Object({
  preVerificationGas: Quantity,
  verificationGas: Quantity,
  verificationGasLimit: Quantity,
  callGasLimit: Quantity,
  maxFeePerGas: Quantity,
  maxPriorityFeePerGas: Quantity,
  paymasterVerificationGasLimit: Type.Optional(Quantity),
  paymasterPostOpGasLimit: Type.Optional(Quantity),
  validAfter: Type.Optional(Quantity),
  validUntil: Type.Optional(Quantity),
})

export function formatEstimate(
  version: EntryPointVersion,
  estimate: GasEstimate,
): Static<typeof EstimateSchema> {
  return {
    preVerificationGas: quantity(estimate.preVerificationGas),
    verificationGas: quantity(estimate.verificationGasLimit),
    verificationGasLimit: quantity(estimate.verificationGasLimit),
    callGasLimit: quantity(estimate.callGasLimit),
    maxFeePerGas: quantity(estimate.maxFeePerGas),
    maxPriorityFeePerGas: quantity(estimate.maxPriorityFeePerGas),
    ...(version === '0.6'
      ? {}
      : {
          paymasterVerificationGasLimit: quantity(estimate.paymasterVerificationGasLimit),
          paymasterPostOpGasLimit: quantity(estimate.paymasterPostOpGasLimit),
        }),
    ...(estimate.validAfter ? { validAfter: quantity(estimate.validAfter) } : {}),
    ...(estimate.validUntil ? { validUntil: quantity(estimate.validUntil) } : {}),
  }
}
