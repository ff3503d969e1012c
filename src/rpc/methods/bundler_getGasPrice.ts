import { formatGasPrice, GasPriceSchema } from '../format/fees.ts'
import { defineMethod } from '../method.ts'

/** The recommended fees, with the chain's mark-up. */
export const bundler_getGasPrice = defineMethod({
  name: 'bundler_getGasPrice',
  price: 10,
  params: {},
  result: GasPriceSchema,
  handler: async (_none, { chain }) => formatGasPrice(await chain.bundler.gasPrice()),
})
