import { type Static, Type } from '@sinclair/typebox'
import type { FeeQuote } from '../../types/block.ts'
import type { FeeHistory } from '../../types/ports/bundler.ts'
import { Quantity, quantity } from './wire.ts'

/** interface.md, Gas price. */
export const GasPriceSchema = Type.Object({ maxPriorityFeePerGas: Quantity, maxFeePerGas: Quantity })

export function formatGasPrice(
  fees: Pick<FeeQuote, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
): Static<typeof GasPriceSchema> {
  return {
    maxPriorityFeePerGas: quantity(fees.maxPriorityFeePerGas),
    maxFeePerGas: quantity(fees.maxFeePerGas),
  }
}

/** interface.md, Fee history. */
export const FeeHistorySchema = Type.Object({
  actualGasPrice: Type.Array(Quantity),
  maxFeePerGas: Type.Array(Quantity),
  maxPriorityFeePerGas: Type.Array(Quantity),
})

export function formatFeeHistory(history: FeeHistory): Static<typeof FeeHistorySchema> {
  return {
    actualGasPrice: history.actualGasPrice.map(quantity),
    maxFeePerGas: history.maxFeePerGas.map(quantity),
    maxPriorityFeePerGas: history.maxPriorityFeePerGas.map(quantity),
  }
}
