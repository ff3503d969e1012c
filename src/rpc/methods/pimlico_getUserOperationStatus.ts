import { type Static, Type } from '@sinclair/typebox'
import type { OperationStateKind } from '../../types/status.ts'
import { transactionOf } from '../format/status.ts'
import { Word } from '../format/wire.ts'
import { defineMethod } from '../method.ts'
import { toHash, UserOpHashParam } from '../params.ts'

const Name = Type.Union([
  Type.Literal('not_found'),
  Type.Literal('queued'),
  Type.Literal('not_submitted'),
  Type.Literal('submitted'),
  Type.Literal('included'),
  Type.Literal('rejected'),
])

/** Their `failed` means that the bundle reverted; ours then goes into another bundle, so it never ends there. */
const names: Readonly<Record<OperationStateKind, Static<typeof Name>>> = {
  queued: 'queued',
  pending: 'not_submitted',
  bundled: 'not_submitted',
  submitted: 'submitted',
  included: 'included',
  dropped: 'rejected',
  expired: 'rejected',
  replaced: 'rejected',
}

/** The status in the shape that Pimlico's clients know. */
export const pimlico_getUserOperationStatus = defineMethod({
  name: 'pimlico_getUserOperationStatus',
  price: 10,
  params: { userOpHash: UserOpHashParam },
  result: Type.Object({ status: Name, transactionHash: Type.Union([Word, Type.Null()]) }),
  async handler({ userOpHash }, { chain }) {
    const found = await chain.bundler.status(toHash(userOpHash))
    return {
      status: found === undefined ? 'not_found' : names[found.state.kind],
      transactionHash: (found && transactionOf(found.state)) ?? null,
    }
  },
})
