import { type Address, type Hex, zeroAddress } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import type { BlockEnvironment } from '../../evm/environment.ts'
import type { BlockRef } from '../../types/block.ts'
import type { NodeClient } from '../../types/ports/chain.ts'

/** What a node says of a block, as far as a run may see it. */
export type BlockHeader = BlockRef & { environment: BlockEnvironment; coinbase: Address }

type RpcBlock = {
  number: Hex
  hash: Hex
  timestamp: Hex
  gasLimit: Hex
  baseFeePerGas?: Hex | null
  miner?: Address | null
  mixHash?: Hex | null
}

/** @throws Unavailable when no node knows it */
export async function readHeader({ hash }: BlockRef, node: NodeClient): Promise<BlockHeader> {
  const block = await node.request<RpcBlock | null>('eth_getBlockByHash', [hash, false])
  if (block === null) throw new Unavailable(`no node knows block ${hash}`)
  return headerOf(block)
}

/** @throws Unavailable */
export async function readNewestHeader(node: NodeClient): Promise<BlockHeader> {
  return headerOf(await node.request<RpcBlock>('eth_getBlockByNumber', ['latest', false]))
}

function headerOf(block: RpcBlock): BlockHeader {
  const coinbase = block.miner ?? zeroAddress
  return {
    number: Number(block.number),
    hash: block.hash,
    coinbase,
    environment: {
      number: BigInt(block.number),
      timestamp: BigInt(block.timestamp),
      gasLimit: BigInt(block.gasLimit),
      baseFee: BigInt(block.baseFeePerGas ?? 0),
      // As nodes have it in a call that pays for no blobs.
      blobBaseFee: 0n,
      coinbase: BigInt(coinbase),
      prevRandao: BigInt(block.mixHash ?? 0),
    },
  }
}
