import type { FeeQuote } from '../block.ts'

/** Chains differ in what they take for putting a transaction's data on another layer; `none` takes nothing. */
export const dataFeeKinds = ['none', 'op-stack', 'arbitrum'] as const
export type DataFeeKind = (typeof dataFeeKinds)[number]

/**
 * OP Stack since Fjord: taken from the sender besides the gas. The scalars are as the chain has them, millionths.
 * The operator fee (Isthmus; the formula of Jovian has the same form) is for the gas that was used.
 */
export type OpStackPrices = {
  kind: 'op-stack'
  /** wei per gas of L1 */
  l1BaseFee: bigint
  /** wei per blob gas of L1 */
  blobBaseFee: bigint
  baseFeeScalar: bigint
  blobBaseFeeScalar: bigint
  /** wei for a million gas */
  operatorFeePerMillionGas: bigint
  /** wei for a transaction */
  operatorFeeConstant: bigint
}

/** Arbitrum: taken as gas of the transaction itself, at the base fee. */
export type ArbitrumPrices = {
  kind: 'arbitrum'
  /** wei for a unit, of which a compressed byte has sixteen */
  pricePerUnit: bigint
  /** of Brotli; what transactions are measured with */
  compressionLevel: number
}

/** What the chain takes for data as of one block. */
export type DataPrices = { kind: 'none' } | OpStackPrices | ArbitrumPrices

/** The prices at which operations are measured, of one moment. */
export type Market = { quote: FeeQuote; data: DataPrices }

export type DataFeeOracle = {
  /** As of the newest block; read once for it. @throws Unavailable */
  prices(): Promise<DataPrices>
}
