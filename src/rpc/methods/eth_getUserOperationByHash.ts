import { Type } from '@sinclair/typebox'
import { FoundSchema, formatFound } from '../format/found.ts'
import { defineMethod } from '../method.ts'
import { toHash, UserOpHashParam } from '../params.ts'

/** ERC-7769. Pending operations have no place on chain yet; unknown ones are null. */
export const eth_getUserOperationByHash = defineMethod({
  name: 'eth_getUserOperationByHash',
  price: 15,
  params: { userOpHash: UserOpHashParam },
  result: Type.Union([FoundSchema, Type.Null()]),
  async handler({ userOpHash }, { chain }) {
    const found = await chain.bundler.find(toHash(userOpHash))
    return found === undefined ? null : formatFound(found)
  },
})
