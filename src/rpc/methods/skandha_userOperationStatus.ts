import { type Static, Type } from '@sinclair/typebox'
import { InvalidParams } from '../../base/errors.ts'
import type { OperationStateKind } from '../../types/status.ts'
import { formatFound, UserOperationSchema } from '../format/found.ts'
import { transactionOf } from '../format/status.ts'
import { ChecksumAddress, Word } from '../format/wire.ts'
import { defineMethod } from '../method.ts'
import { toHash, UserOpHashParam } from '../params.ts'

const Name = Type.Union([
  Type.Literal('New'),
  Type.Literal('Pending'),
  Type.Literal('Submitted'),
  Type.Literal('OnChain'),
  Type.Literal('Cancelled'),
])

const names: Readonly<Record<OperationStateKind, Static<typeof Name>>> = {
  queued: 'New',
  pending: 'New',
  bundled: 'Pending',
  submitted: 'Submitted',
  included: 'OnChain',
  dropped: 'Cancelled',
  expired: 'Cancelled',
  replaced: 'Cancelled',
}

/** The status in the shape that skandha's clients know; an unknown operation is an error there. */
export const skandha_userOperationStatus = defineMethod({
  name: 'skandha_userOperationStatus',
  price: 10,
  params: { userOpHash: UserOpHashParam },
  result: Type.Object({
    userOp: UserOperationSchema,
    entryPoint: ChecksumAddress,
    status: Name,
    reason: Type.Optional(Type.String()),
    transaction: Type.Optional(Word),
  }),
  async handler({ userOpHash }, { chain: { bundler } }) {
    const hash = toHash(userOpHash)
    const [status, found] = await Promise.all([bundler.status(hash), bundler.find(hash)])
    if (status === undefined || found === undefined) {
      throw new InvalidParams('UserOperation not found', { path: 'params[0]' })
    }
    const { userOperation, entryPoint } = formatFound(found)
    const transaction = transactionOf(status.state)
    return {
      userOp: userOperation,
      entryPoint,
      status: names[status.state.kind],
      ...('reason' in status.state ? { reason: status.state.reason.message } : {}),
      ...(transaction === undefined ? {} : { transaction }),
    }
  },
})
