import { type Static, Type } from '@sinclair/typebox'
import type { FoundOperation } from '../../types/ports/bundler.ts'
import { formatUserOperation } from '../../types/rpc-userop.ts'
import { address, ChecksumAddress, Quantity, quantity, Word } from './wire.ts'

/** An operation as answers show it; which fields there are depends on its version. */
export const UserOperationSchema = Type.Object(
  { sender: ChecksumAddress, nonce: Quantity },
  { additionalProperties: true },
)

/** interface.md, UserOperation lookup result; the place on chain is null while there is none. */
export const FoundSchema = Type.Object({
  userOperation: UserOperationSchema,
  entryPoint: ChecksumAddress,
  transactionHash: Type.Union([Word, Type.Null()]),
  blockHash: Type.Union([Word, Type.Null()]),
  blockNumber: Type.Union([Quantity, Type.Null()]),
})

export function formatFound({ op, entryPoint, inclusion }: FoundOperation): Static<typeof FoundSchema> {
  return {
    userOperation: formatUserOperation(op) as Static<typeof UserOperationSchema>,
    entryPoint: address(entryPoint),
    transactionHash: inclusion?.transactionHash ?? null,
    blockHash: inclusion?.block.hash ?? null,
    blockNumber: inclusion === undefined ? null : quantity(inclusion.block.number),
  }
}
