import type { OpStackPrices } from '../../types/ports/data-fee.ts'

/** The regression of Fjord from the length by FastLZ to the bytes that a transaction takes of its batch, millionths. */
const intercept = -42_585_600n
const perByte = 836_500n
const leastSize = 100_000_000n

/** gas of L1 that a byte would take as calldata */
const calldataGas = 16n
const million = 1_000_000n

/** wei that a transaction of this length by FastLZ is charged (OP Stack, Fjord: "L1-Cost fees"), without the operator's */
export function opStackDataFee(flzLength: number, prices: OpStackPrices): bigint {
  const size = intercept + perByte * BigInt(flzLength)
  const { l1BaseFee, blobBaseFee, baseFeeScalar, blobBaseFeeScalar } = prices
  const perScaledByte = baseFeeScalar * l1BaseFee * calldataGas + blobBaseFeeScalar * blobBaseFee
  return ((size > leastSize ? size : leastSize) * perScaledByte) / (million * million)
}

/** wei that the operator of the chain takes for gas that is used, without its constant (OP Stack, Isthmus) */
export function opStackOperatorFee(gas: bigint, prices: OpStackPrices): bigint {
  return (gas * prices.operatorFeePerMillionGas) / million
}
