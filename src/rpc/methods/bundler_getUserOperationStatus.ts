import { Type } from '@sinclair/typebox'
import { formatStatus, StatusSchema } from '../format/status.ts'
import { defineMethod } from '../method.ts'
import { toHash, UserOpHashParam } from '../params.ts'

/** Where an acknowledged operation is, and when it came there; null when it is unknown. */
export const bundler_getUserOperationStatus = defineMethod({
  name: 'bundler_getUserOperationStatus',
  price: 10,
  params: { userOpHash: UserOpHashParam },
  result: Type.Union([StatusSchema, Type.Null()]),
  async handler({ userOpHash }, { chain }) {
    const status = await chain.bundler.status(toHash(userOpHash))
    return status === undefined ? null : formatStatus(status)
  },
})
