import { Type } from '@sinclair/typebox'
import { defineMethod } from '../method.ts'

/** Our own name and version, not the node's. */
export const web3_clientVersion = defineMethod({
  name: 'web3_clientVersion',
  price: 10,
  params: {},
  result: Type.String({ pattern: '^tandem/' }),
  handler: (_none, { clientVersion }) => clientVersion,
})
