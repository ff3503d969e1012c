import type { Hex } from 'viem'
import type { StakeInfo } from '../types/entity.ts'
import { parseValidationData, type ValidationData } from './validation-data.ts'

/** What simulateValidation tells. */
export type SimulatedValidation = {
  preOpGas: bigint
  prefund: bigint
  account: ValidationData
  /** Where the EntryPoint does not tell the two apart (0.6), all is in `account`. */
  paymaster: ValidationData
  sender: StakeInfo
  factory: StakeInfo
  paymasterStake: StakeInfo
}

/** digits of a word */
const wordDigits = 64
const bytesInWord = 32n

/**
 * ValidationResult of EntryPoint 0.7 and later, read by hand: every validation ends with it, and viem takes ten times
 * as long.
 * @throws RangeError where words are missing
 */
export function decodeValidationResult(data: Hex): SimulatedValidation {
  const word = (index: bigint): bigint => wordAt(data, index)
  // A dynamic struct is behind a pointer; its first member, ReturnInfo, is so again.
  const result = word(0n) / bytesInWord
  const info = result + word(result) / bytesInWord
  const stakeAt = (index: bigint): StakeInfo => ({
    stake: word(index),
    unstakeDelaySec: Number(word(index + 1n)),
  })
  return {
    preOpGas: word(info),
    prefund: word(info + 1n),
    account: parseValidationData(word(info + 2n)),
    paymaster: parseValidationData(word(info + 3n)),
    sender: stakeAt(result + 1n),
    factory: stakeAt(result + 3n),
    paymasterStake: stakeAt(result + 5n),
  }
}

function wordAt(data: Hex, index: bigint): bigint {
  const start = '0x'.length + Number(index) * wordDigits
  const end = start + wordDigits
  if (end > data.length) throw new RangeError('an answer that is too short')
  return BigInt(`0x${data.slice(start, end)}`)
}
