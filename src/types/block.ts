import type { Address, Hash } from 'viem'

export type BlockRef = { number: number; hash: Hash }

/** A block header, as far as we need it. */
export type Head = BlockRef & {
  parentHash: Hash
  /** s since 1970 */
  timestamp: number
  /** wei; `undefined` on chains before EIP-1559 */
  baseFeePerGas: bigint | undefined
  gasLimit: bigint
  /** What only the EVM asks about; `undefined` where nobody has read it. */
  coinbase?: Address
  prevRandao?: Hash
}

/**
 * One step of the canonical chain. `removed` are blocks that are canonical no more, newest first;
 * `added` the new canonical ones, oldest first, the last of which is `head`.
 */
export type HeadChange = { head: Head; added: readonly Head[]; removed: readonly BlockRef[] }

/** Fees for a transaction or an operation sent now, in wei per gas. */
export type FeeQuote = {
  /** Base fee of the next block; 0 on chains without one. */
  baseFee: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  /** The chain takes legacy transactions: one gas price, `maxFeePerGas`. */
  legacy: boolean
}
