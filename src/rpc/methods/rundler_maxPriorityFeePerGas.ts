import { Quantity, quantity } from '../format/wire.ts'
import { defineMethod } from '../method.ts'

/** The recommended priority fee, as clients of rundler ask for it. */
export const rundler_maxPriorityFeePerGas = defineMethod({
  name: 'rundler_maxPriorityFeePerGas',
  price: 10,
  params: {},
  result: Quantity,
  handler: async (_none, { chain }) => quantity((await chain.bundler.gasPrice()).maxPriorityFeePerGas),
})
