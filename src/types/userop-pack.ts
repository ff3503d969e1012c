import { type Address, getAddress, type Hex, size, slice } from 'viem'
import type { UserOperation } from './userop.ts'

/** The struct that handleOps of 0.6 takes. */
export type UserOperationStruct06 = {
  sender: Address
  nonce: bigint
  initCode: Hex
  callData: Hex
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  paymasterAndData: Hex
  signature: Hex
}

/** PackedUserOperation, from 0.7 on. */
export type UserOperationStruct07 = {
  sender: Address
  nonce: bigint
  initCode: Hex
  callData: Hex
  accountGasLimits: Hex
  preVerificationGas: bigint
  gasFees: Hex
  paymasterAndData: Hex
  signature: Hex
}

/** 16 bytes, without 0x */
const half = (value: bigint): string => value.toString(16).padStart(32, '0')
const digits = (bytes: Hex): string => bytes.slice(2)

export function initCodeOf(op: UserOperation): Hex {
  return op.factory === undefined ? '0x' : `${op.factory}${digits(op.factoryData)}`
}

function paymasterAndData06(op: UserOperation): Hex {
  return op.paymaster === undefined ? '0x' : `${op.paymaster}${digits(op.paymasterData)}`
}

function paymasterAndData07(op: UserOperation): Hex {
  if (op.paymaster === undefined) return '0x'
  const limits = half(op.paymasterVerificationGasLimit) + half(op.paymasterPostOpGasLimit)
  return `${op.paymaster}${limits}${digits(op.paymasterData)}`
}

export function pack06(op: UserOperation): UserOperationStruct06 {
  return {
    sender: op.sender,
    nonce: op.nonce,
    initCode: initCodeOf(op),
    callData: op.callData,
    callGasLimit: op.callGasLimit,
    verificationGasLimit: op.verificationGasLimit,
    preVerificationGas: op.preVerificationGas,
    maxFeePerGas: op.maxFeePerGas,
    maxPriorityFeePerGas: op.maxPriorityFeePerGas,
    paymasterAndData: paymasterAndData06(op),
    signature: op.signature,
  }
}

export function pack07(op: UserOperation): UserOperationStruct07 {
  return {
    sender: op.sender,
    nonce: op.nonce,
    initCode: initCodeOf(op),
    callData: op.callData,
    accountGasLimits: `0x${half(op.verificationGasLimit)}${half(op.callGasLimit)}`,
    preVerificationGas: op.preVerificationGas,
    gasFees: `0x${half(op.maxPriorityFeePerGas)}${half(op.maxFeePerGas)}`,
    paymasterAndData: paymasterAndData07(op),
    signature: op.signature,
  }
}

/** address ‖ data, or nothing: how initCode and paymasterAndData begin. */
function splitAddress(bytes: Hex): { address: Address | undefined; data: Hex } {
  if (size(bytes) < 20) return { address: undefined, data: '0x' }
  return { address: getAddress(slice(bytes, 0, 20)), data: size(bytes) === 20 ? '0x' : slice(bytes, 20) }
}

export function unpack06(struct: UserOperationStruct06): UserOperation {
  const { initCode, paymasterAndData, ...rest } = struct
  const factory = splitAddress(initCode)
  const paymaster = splitAddress(paymasterAndData)
  return {
    version: '0.6',
    ...rest,
    factory: factory.address,
    factoryData: factory.data,
    paymaster: paymaster.address,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: paymaster.data,
    eip7702Auth: undefined,
  }
}

export const unpack07 =
  (version: '0.7' | '0.8') =>
  (struct: UserOperationStruct07): UserOperation => {
    const { initCode, accountGasLimits, gasFees, paymasterAndData, ...rest } = struct
    const factory = splitAddress(initCode)
    const paymaster = size(paymasterAndData) < 52 ? undefined : getAddress(slice(paymasterAndData, 0, 20))
    const paymasterField = (start: number, end: number) =>
      paymaster === undefined ? 0n : BigInt(slice(paymasterAndData, start, end))
    return {
      version,
      ...rest,
      factory: factory.address,
      factoryData: factory.data,
      callGasLimit: BigInt(slice(accountGasLimits, 16, 32)),
      verificationGasLimit: BigInt(slice(accountGasLimits, 0, 16)),
      maxFeePerGas: BigInt(slice(gasFees, 16, 32)),
      maxPriorityFeePerGas: BigInt(slice(gasFees, 0, 16)),
      paymaster,
      paymasterVerificationGasLimit: paymasterField(20, 36),
      paymasterPostOpGasLimit: paymasterField(36, 52),
      paymasterData:
        paymaster === undefined || size(paymasterAndData) === 52 ? '0x' : slice(paymasterAndData, 52),
      eip7702Auth: undefined,
    }
  }
