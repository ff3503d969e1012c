import { Type } from '@sinclair/typebox'
import { formatGasPrice, GasPriceSchema } from '../format/fees.ts'
import { defineMethod } from '../method.ts'

/**
 * Percent of the recommended fees. The recommendation itself is made for the next block, so `slow` is enough;
 * the others only bid for a better place in it.
 */
const tiers = { slow: 100n, standard: 105n, fast: 110n }

/** The gas price in the shape that Pimlico's clients know. */
export const pimlico_getUserOperationGasPrice = defineMethod({
  name: 'pimlico_getUserOperationGasPrice',
  price: 10,
  params: {},
  result: Type.Object({ slow: GasPriceSchema, standard: GasPriceSchema, fast: GasPriceSchema }),
  async handler(_none, { chain }) {
    const fees = await chain.bundler.gasPrice()
    const at = (percent: bigint) =>
      formatGasPrice({
        maxFeePerGas: (fees.maxFeePerGas * percent) / 100n,
        maxPriorityFeePerGas: (fees.maxPriorityFeePerGas * percent) / 100n,
      })
    return { slow: at(tiers.slow), standard: at(tiers.standard), fast: at(tiers.fast) }
  },
})
