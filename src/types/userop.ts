import type { Address, Hex, SignedAuthorization } from 'viem'
import { zeroAddress } from 'viem'
import type { EntryPointVersion } from './entrypoint-version.ts'

/**
 * A UserOperation of any EntryPoint version (ERC-4337), parsed and trusted. Gas in gas units, fees in wei per gas.
 * Fields that a version lacks hold their neutral value: `undefined`, `0n` or `0x`.
 */
export type UserOperation = {
  version: EntryPointVersion
  sender: Address
  /** 192-bit key ‖ 64-bit sequence. */
  nonce: bigint
  /** First 20 bytes of initCode; the marker 0x7702000…0 for EIP-7702 accounts (ERC-7769). */
  factory: Address | undefined
  factoryData: Hex
  callData: Hex
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  /** First 20 bytes of paymasterAndData as sent. In 0.6 this may be the zero address, which means none. */
  paymaster: Address | undefined
  paymasterVerificationGasLimit: bigint
  paymasterPostOpGasLimit: bigint
  paymasterData: Hex
  signature: Hex
  /** The sender's EIP-7702 authorization, to travel with the bundle transaction; one at most (ERC-7562 AUTH-010). */
  eip7702Auth: SignedAuthorization | undefined
}

/** `factory` of an operation whose sender gets its code by EIP-7702. */
export const eip7702Factory: Address = '0x7702000000000000000000000000000000000000'

/** The paymaster that pays, or `undefined` when the sender does. */
export function paymasterOf(op: UserOperation): Address | undefined {
  return op.paymaster === undefined || op.paymaster === zeroAddress ? undefined : op.paymaster
}

/** The contract that deploys the sender, or `undefined`. */
export function factoryOf(op: UserOperation): Address | undefined {
  return op.factory === undefined || op.factory === eip7702Factory ? undefined : op.factory
}

/** The 192-bit key of a nonce: each key is a queue of its own. */
export const nonceKey = (nonce: bigint): bigint => nonce >> 64n
/** The 64-bit place in that queue. */
export const nonceSequence = (nonce: bigint): bigint => nonce & 0xffff_ffff_ffff_ffffn
