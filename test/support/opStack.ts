import { type Address, concatHex, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { gasPriceOracle } from '../../src/chain/data-fee/op-stack.ts'
import type { AccountChain } from './accounts.ts'
import { transact } from './bundles.ts'
import contracts from './contracts/op-stack-fjord.json'
import { rpc } from './devChain.ts'

const l1Block: Address = '0x4200000000000000000000000000000000000015'
/** Who alone may tell these contracts anything. */
const depositor: Address = '0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001'

const abi = parseAbi([
  'function setEcotone()',
  'function setFjord()',
  'function getL1Fee(bytes data) view returns (uint256)',
])

export type L1Values = {
  l1BaseFee: bigint
  blobBaseFee: bigint
  baseFeeScalar: number
  blobBaseFeeScalar: number
}

/** The fee contracts of the OP Stack as of Fjord, in the places that they have on its chains. */
export async function deployFjord(chain: AccountChain): Promise<void> {
  await rpc(chain.url, 'anvil_setCode', [gasPriceOracle, contracts.GasPriceOracle])
  await rpc(chain.url, 'anvil_setCode', [l1Block, contracts.L1Block])
  await rpc(chain.url, 'anvil_setBalance', [depositor, numberToHex(10n ** 18n)])
  for (const functionName of ['setEcotone', 'setFjord'] as const)
    await transact(chain, gasPriceOracle, encodeFunctionData({ abi, functionName }), { as: depositor })
}

/** What the chain's first transaction of each block tells: setL1BlockValuesEcotone, packed. */
export async function setL1Values(chain: AccountChain, values: L1Values): Promise<void> {
  const data = concatHex([
    '0x440a5e20',
    numberToHex(values.baseFeeScalar, { size: 4 }),
    numberToHex(values.blobBaseFeeScalar, { size: 4 }),
    ...[0n, 0n, 0n].map((value) => numberToHex(value, { size: 8 })),
    numberToHex(values.l1BaseFee, { size: 32 }),
    numberToHex(values.blobBaseFee, { size: 32 }),
    ...[0n, 0n].map((value) => numberToHex(value, { size: 32 })),
  ])
  await transact(chain, l1Block, data, { as: depositor })
}

/** wei that the contract says an unsigned transaction is charged. */
export async function l1FeeOnChain(chain: AccountChain, transaction: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi, functionName: 'getL1Fee', args: [transaction] })
  return BigInt(await rpc<Hex>(chain.url, 'eth_call', [{ to: gasPriceOracle, data }, 'latest']))
}
