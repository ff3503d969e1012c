import { encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import type { NodeClient, ReadAt } from '../../types/ports/chain.ts'
import type { ArbitrumPrices } from '../../types/ports/data-fee.ts'
import { readWords } from './read-words.ts'

/** A contract that only nodes have: it answers calls, and is on no chain. */
export const nodeInterface = '0x00000000000000000000000000000000000000C8'
/** The precompile that shows what the chain's owner has set. */
export const ownerPublic = '0x000000000000000000000000000000000000006b'

const nodeInterfaceAbi = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
])
const ownerPublicAbi = parseAbi(['function getBrotliCompressionLevel() view returns (uint64)'])

/** Before ArbOS 20 the chain's state has no level, and this is what was used. */
const firstLevel = 0

/** `undefined` where no node of Arbitrum answers. One request. @throws Unavailable */
export async function readArbitrumPrices(at: ReadAt, node: NodeClient): Promise<ArbitrumPrices | undefined> {
  const [component, level] = await Promise.all([
    readWords(
      {
        to: nodeInterface,
        data: encodeFunctionData({ abi: nodeInterfaceAbi, args: [zeroAddress, false, '0x'] }),
      },
      at,
      node,
    ),
    readWords({ to: ownerPublic, data: encodeFunctionData({ abi: ownerPublicAbi }) }, at, node),
  ])
  const pricePerUnit = component?.[2]
  if (pricePerUnit === undefined) return undefined
  return { kind: 'arbitrum', pricePerUnit, compressionLevel: Number(level?.[0] ?? firstLevel) }
}
