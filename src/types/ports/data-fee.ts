import type { Hex } from 'viem'
import type { FeeQuote } from '../block.ts'

/** What a chain takes for putting these bytes on another layer, in gas at the quoted fees. */
export type DataFee = (bytes: Hex, fees: FeeQuote) => bigint | Promise<bigint>
