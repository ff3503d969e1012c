import { type Address, type Hash, type Hex, isHash, isHex } from 'viem'
import { Unavailable } from '../base/errors.ts'
import type { Head } from '../types/block.ts'

/** A block header as nodes send it. */
export type RpcHeader = {
  number: Hex
  hash: Hash
  parentHash: Hash
  timestamp: Hex
  gasLimit: Hex
  baseFeePerGas?: Hex | null
  miner?: Address | null
  mixHash?: Hash | null
}

/** @throws Unavailable for what is no mined block: garbage, or a pending one */
export function parseHeader(header: RpcHeader): Head {
  const { number, hash, parentHash, timestamp, gasLimit, baseFeePerGas } = header
  if (![number, timestamp, gasLimit].every((field) => isHex(field)) || !isHash(hash) || !isHash(parentHash))
    throw new Unavailable('the node gave a block that is none')
  return {
    number: Number(number),
    hash,
    parentHash,
    timestamp: Number(timestamp),
    gasLimit: BigInt(gasLimit),
    baseFeePerGas: baseFeePerGas == null ? undefined : BigInt(baseFeePerGas),
    ...(header.miner == null ? {} : { coinbase: header.miner }),
    ...(header.mixHash == null ? {} : { prevRandao: header.mixHash }),
  }
}
