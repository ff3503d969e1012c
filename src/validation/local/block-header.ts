import { type Address, type Hash, zeroAddress } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import { parseHeader, type RpcHeader } from '../../chain/header.ts'
import type { BlockEnvironment } from '../../evm/environment.ts'
import type { BlockRef, Head } from '../../types/block.ts'
import type { NodeClient } from '../../types/ports/chain.ts'

/** A block as a run may see it. */
export type BlockHeader = BlockRef & {
  parentHash: Hash | undefined
  environment: BlockEnvironment
  coinbase: Address
}

/** A block of which a job may know more than which it is. */
export type JobBlock = BlockRef & Partial<Omit<Head, keyof BlockRef>>

/** From what the job knows, else from a node. @throws Unavailable when no node knows it */
export async function readHeader(block: JobBlock, node: NodeClient): Promise<BlockHeader> {
  const { timestamp, gasLimit, coinbase } = block
  if (timestamp !== undefined && gasLimit !== undefined && coinbase !== undefined)
    return headerOf({ ...block, timestamp, gasLimit })
  const found = await node.request<RpcHeader | null>('eth_getBlockByHash', [block.hash, false])
  if (found === null) throw new Unavailable(`no node knows block ${block.hash}`)
  const header = headerOf(parseHeader(found))
  if (header.hash !== block.hash) throw new Unavailable(`a node gave another block for ${block.hash}`)
  return header
}

/** @throws Unavailable */
export async function readNewestHeader(node: NodeClient): Promise<BlockHeader> {
  return headerOf(parseHeader(await node.request<RpcHeader>('eth_getBlockByNumber', ['latest', false])))
}

function headerOf(block: JobBlock & Pick<Head, 'timestamp' | 'gasLimit'>): BlockHeader {
  const { number, hash, parentHash, timestamp, gasLimit, baseFeePerGas = 0n } = block
  const { coinbase = zeroAddress, prevRandao = '0x0' } = block
  return {
    number,
    hash,
    parentHash,
    coinbase,
    environment: {
      number: BigInt(number),
      timestamp: BigInt(timestamp),
      gasLimit,
      baseFee: baseFeePerGas,
      // As nodes have it in a call that pays for no blobs.
      blobBaseFee: 0n,
      coinbase: BigInt(coinbase),
      prevRandao: BigInt(prevRandao),
    },
  }
}
