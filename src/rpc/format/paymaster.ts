import { Type } from '@sinclair/typebox'
import { concat, getAddress } from 'viem'
import type { PaymasterFields } from '../../types/ports/paymaster.ts'
import type { UserOperation } from '../../types/userop.ts'
import { ChecksumAddress, Data, data, Quantity, quantity } from './wire.ts'

/** The fields of a paymaster: `paymasterAndData` for 0.6, the others from 0.7 on. */
export const paymasterFields = {
  paymasterAndData: Type.Optional(Data),
  paymaster: Type.Optional(ChecksumAddress),
  paymasterData: Type.Optional(Data),
  paymasterVerificationGasLimit: Type.Optional(Quantity),
  paymasterPostOpGasLimit: Type.Optional(Quantity),
}

type Wire = { [Field in keyof typeof paymasterFields]?: string }

/** Who pays and its data, without gas. */
export function formatPaymasterData(op: Pick<UserOperation, 'version'>, fields: PaymasterFields): Wire {
  const { paymaster, paymasterData } = fields
  if (op.version === '0.6') return { paymasterAndData: data(concat([paymaster ?? '0x', paymasterData])) }
  return {
    ...(paymaster === undefined ? {} : { paymaster: getAddress(paymaster) }),
    paymasterData: data(paymasterData),
  }
}

/** The paymaster's gas limits; 0.6 has none. */
export function formatPaymasterGas(op: Pick<UserOperation, 'version'>, fields: PaymasterFields): Wire {
  if (op.version === '0.6') return {}
  return {
    paymasterVerificationGasLimit: quantity(fields.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: quantity(fields.paymasterPostOpGasLimit),
  }
}

export const gasFields = {
  preVerificationGas: Quantity,
  verificationGasLimit: Quantity,
  callGasLimit: Quantity,
}
export const feeFields = { maxFeePerGas: Quantity, maxPriorityFeePerGas: Quantity }

export function formatGas(op: Pick<UserOperation, keyof typeof gasFields>) {
  return {
    preVerificationGas: quantity(op.preVerificationGas),
    verificationGasLimit: quantity(op.verificationGasLimit),
    callGasLimit: quantity(op.callGasLimit),
  }
}

export function formatFees(op: Pick<UserOperation, keyof typeof feeFields>) {
  return {
    maxFeePerGas: quantity(op.maxFeePerGas),
    maxPriorityFeePerGas: quantity(op.maxPriorityFeePerGas),
  }
}
