import { Quantity, quantity } from '../format/wire.ts'
import { defineMethod } from '../method.ts'

/** Answered here: it never changes. */
export const eth_chainId = defineMethod({
  name: 'eth_chainId',
  price: 5,
  params: {},
  result: Quantity,
  handler: (_none, { chain }) => quantity(chain.bundler.chainId),
})
