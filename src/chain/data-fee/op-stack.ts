import { encodeFunctionData, parseAbi } from 'viem'
import type { NodeClient, ReadAt } from '../../types/ports/chain.ts'
import type { OpStackPrices } from '../../types/ports/data-fee.ts'
import { readWords } from './read-words.ts'

/** The GasPriceOracle predeploy of every OP Stack chain. */
export const gasPriceOracle = '0x420000000000000000000000000000000000000F'

const abi = parseAbi([
  'function isFjord() view returns (bool)',
  'function l1BaseFee() view returns (uint256)',
  'function blobBaseFee() view returns (uint256)',
  'function baseFeeScalar() view returns (uint32)',
  'function blobBaseFeeScalar() view returns (uint32)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
])

/** gas that the oracle is asked the operator's fee for: the unit that it comes in */
const million = 1_000_000n

/** `undefined` where the oracle is none of Fjord's or later. One request. @throws Unavailable */
export async function readOpStackPrices(at: ReadAt, node: NodeClient): Promise<OpStackPrices | undefined> {
  const ask = async (functionName: Exclude<(typeof abi)[number]['name'], 'getOperatorFee'>) =>
    first(await readWords({ to: gasPriceOracle, data: encodeFunctionData({ abi, functionName }) }, at, node))
  // Its formula has changed, its form has not: asking for two amounts of gas tells both parts.
  const askOperatorFee = async (gas: bigint) => {
    const data = encodeFunctionData({ abi, functionName: 'getOperatorFee', args: [gas] })
    return first(await readWords({ to: gasPriceOracle, data }, at, node)) ?? 0n
  }
  const [isFjord, l1BaseFee, blobBaseFee, baseFeeScalar, blobBaseFeeScalar, constant, forMillion] =
    await Promise.all([
      ask('isFjord'),
      ask('l1BaseFee'),
      ask('blobBaseFee'),
      ask('baseFeeScalar'),
      ask('blobBaseFeeScalar'),
      askOperatorFee(0n),
      askOperatorFee(million),
    ])
  if (isFjord !== 1n || l1BaseFee === undefined || blobBaseFee === undefined) return undefined
  if (baseFeeScalar === undefined || blobBaseFeeScalar === undefined) return undefined
  return {
    kind: 'op-stack',
    ...{ l1BaseFee, blobBaseFee, baseFeeScalar, blobBaseFeeScalar },
    operatorFeeConstant: constant,
    operatorFeePerMillionGas: forMillion - constant,
  }
}

const first = (words: readonly bigint[] | undefined): bigint | undefined => words?.[0]
