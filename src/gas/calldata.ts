import type { Hex } from 'viem'

/** Bytes of calldata by what they cost. */
export type CalldataBytes = { zero: number; nonZero: number }

/** gas of any transaction before its calldata */
export const transactionBase = 21_000n

/** Gas per token of calldata; a zero byte is one token, another one four (EIP-2028 in the terms of EIP-7623). */
const gasPerToken = 4n
/** The least that a transaction pays per token since EIP-7623, whatever it executes. */
const floorGasPerToken = 10n
const tokensPerNonZeroByte = 4n

/** gas that each authorization of a type-4 transaction takes before execution (EIP-7702, PER_EMPTY_ACCOUNT_COST) */
export const authorizationGas = 25_000n

const digit0 = '0'.charCodeAt(0)

export function countBytes(data: Hex): CalldataBytes {
  let zero = 0
  for (let at = 2; at < data.length; at += 2)
    if (data.charCodeAt(at) === digit0 && data.charCodeAt(at + 1) === digit0) zero += 1
  return { zero, nonZero: data.length / 2 - 1 - zero }
}

const tokens = ({ zero, nonZero }: CalldataBytes): bigint =>
  BigInt(zero) + BigInt(nonZero) * tokensPerNonZeroByte

/** gas for calldata that is executed with enough other gas */
export function calldataGas(bytes: CalldataBytes): bigint {
  return tokens(bytes) * gasPerToken
}

/** gas that calldata takes at least, its execution included; 0n on chains without EIP-7623 */
export function calldataFloor(bytes: CalldataBytes, chain: { eip7623: boolean }): bigint {
  return chain.eip7623 ? tokens(bytes) * floorGasPerToken : 0n
}
