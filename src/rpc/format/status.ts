import { type Static, Type } from '@sinclair/typebox'
import type { OperationState, OperationStatus, StateChange } from '../../types/status.ts'
import { type PublicError, publicReason } from '../public-error.ts'
import { address, ChecksumAddress, Quantity, quantity, Word } from './wire.ts'

const StateName = Type.Union([
  Type.Literal('queued'),
  Type.Literal('pending'),
  Type.Literal('bundled'),
  Type.Literal('submitted'),
  Type.Literal('included'),
  Type.Literal('dropped'),
  Type.Literal('expired'),
  Type.Literal('replaced'),
])

/** What is known of a state besides its name; what does not apply is left out. */
const StateFields = Type.Object({
  transactionHash: Type.Optional(Word),
  blockHash: Type.Optional(Word),
  blockNumber: Type.Optional(Quantity),
  success: Type.Optional(Type.Boolean()),
  replacedBy: Type.Optional(Word),
  reason: Type.Optional(
    Type.Unsafe<PublicError>(Type.Object({ code: Type.Integer(), message: Type.String() })),
  ),
})

/** A state change as it is pushed; `at` in ms since 1970. */
const StateChangeSchema = Type.Composite([
  Type.Object({
    status: StateName,
    hash: Word,
    sender: ChecksumAddress,
    entryPoint: ChecksumAddress,
    at: Type.Integer(),
  }),
  StateFields,
])

/** `bundler_getUserOperationStatus`: when each state was last entered, in ms since 1970. */
export const StatusSchema = Type.Composite([
  StateChangeSchema,
  Type.Object({
    validationLevel: Type.Optional(Type.String()),
    timestamps: Type.Record(Type.String(), Type.Integer()),
  }),
])

export function formatStateChange(change: StateChange): Static<typeof StateChangeSchema> {
  const { hash, sender, entryPoint, at, state } = change
  return {
    status: state.kind,
    hash,
    sender: address(sender),
    entryPoint: address(entryPoint),
    at,
    ...stateFields(state),
  }
}

export function formatStatus(status: OperationStatus): Static<typeof StatusSchema> {
  const { validationLevel, timestamps } = status
  return {
    ...formatStateChange(status),
    ...(validationLevel === undefined ? {} : { validationLevel }),
    timestamps: { ...timestamps },
  }
}

/** The transaction that an operation went into, or is in. */
export function transactionOf(state: OperationState): string | undefined {
  return 'transactionHash' in state ? state.transactionHash : undefined
}

function stateFields(state: OperationState): Static<typeof StateFields> {
  switch (state.kind) {
    case 'queued':
    case 'pending':
    case 'bundled':
      return {}
    case 'submitted':
      return { transactionHash: state.transactionHash }
    case 'included':
      return {
        transactionHash: state.transactionHash,
        blockHash: state.blockHash,
        blockNumber: quantity(state.blockNumber),
        success: state.success,
      }
    case 'dropped':
    case 'expired':
      return { reason: publicReason(state.reason) }
    case 'replaced':
      return { replacedBy: state.by }
  }
}
