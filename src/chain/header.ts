import type { Hash, Hex } from 'viem'
import type { Head } from '../types/block.ts'

/** A block header as nodes send it. */
export type RpcHeader = {
  number: Hex
  hash: Hash
  parentHash: Hash
  timestamp: Hex
  gasLimit: Hex
  baseFeePerGas?: Hex | null
}

export function parseHeader(header: RpcHeader): Head {
  return {
    number: Number(header.number),
    hash: header.hash,
    parentHash: header.parentHash,
    timestamp: Number(header.timestamp),
    gasLimit: BigInt(header.gasLimit),
    baseFeePerGas: header.baseFeePerGas == null ? undefined : BigInt(header.baseFeePerGas),
  }
}
