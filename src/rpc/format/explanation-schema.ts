import { type TSchema, Type } from '@sinclair/typebox'
import type { Json } from '../../base/errors.ts'
import type { PublicError } from '../public-error.ts'
import { ChecksumAddress, Data, Quantity, Word } from './wire.ts'

const about = <Schema extends TSchema>(schema: Schema, description: string): Schema => ({
  ...schema,
  description,
})

const EntityName = Type.Union([
  Type.Literal('account'),
  Type.Literal('factory'),
  Type.Literal('paymaster'),
  Type.Literal('aggregator'),
])
const PhaseName = Type.Union([
  Type.Literal('create', { description: 'the factory, by the sender creator' }),
  Type.Literal('validate', { description: 'validateUserOp of the account' }),
  Type.Literal('paymaster', { description: 'validatePaymasterUserOp' }),
  Type.Literal('execute', { description: 'the call of the account' }),
  Type.Literal('postOp'),
])

const FindingSchema = Type.Object({
  rule: Type.String({ description: 'of ERC-7562, such as STO-022' }),
  entity: EntityName,
  address: ChecksumAddress,
  message: Type.String(),
  hint: Type.String(),
  opcode: Type.Optional(Type.String()),
  slot: Type.Optional(Word),
  contract: Type.Optional(ChecksumAddress),
  liftedBy: Type.Optional(
    Type.Object(
      { entity: EntityName, address: ChecksumAddress },
      { description: 'who would have to be staked so that the rule allows it' },
    ),
  ),
  lifted: Type.Boolean({ description: 'that one is staked: it is allowed' }),
})

const PhaseSchema = Type.Object({
  phase: PhaseName,
  success: Type.Boolean(),
  gasUsed: Quantity,
  leastGas: about(Quantity, 'with less it would have gone another way (63/64, EIP-150)'),
  limit: about(Quantity, 'the limit of the operation that it falls under'),
})

export const CallSchema = Type.Recursive(
  (This) =>
    Type.Object({
      type: Type.String({ description: 'CALL, DELEGATECALL, STATICCALL, CALLCODE, CREATE or CREATE2' }),
      phase: Type.Optional(PhaseName),
      from: ChecksumAddress,
      to: about(ChecksumAddress, 'whose code runs; of a creation the new contract'),
      value: Type.Optional(Quantity),
      gas: Quantity,
      gasUsed: Quantity,
      function: Type.Optional(Type.String({ description: 'where its ABI is known' })),
      args: Type.Optional(Type.Array(Type.Unsafe<Json>(Type.Unknown()))),
      input: Data,
      inputSize: Type.Optional(Type.Integer({ description: 'bytes, where not all are told' })),
      output: Data,
      outputSize: Type.Optional(Type.Integer({ description: 'bytes, where not all are told' })),
      error: Type.Optional(Type.String({ description: 'what it reverted with, or why it ended' })),
      calls: Type.Optional(Type.Array(This)),
    }),
  { $id: 'ExplainedCall' },
)

export const SlotSchema = Type.Object({
  contract: ChecksumAddress,
  slot: Word,
  access: Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('read, write')]),
  phases: Type.Array(PhaseName, { description: 'none: only the EntryPoint uses it' }),
  transient: Type.Optional(Type.Literal(true)),
  before: Type.Optional(Word),
  after: Type.Optional(Word),
})

/** `bundler_explainUserOperation`; phases, calls and storage are missing where only a node could judge. */
export const ExplanationSchema = Type.Object({
  verdict: Type.Union([Type.Literal('accepted'), Type.Literal('rejected'), Type.Literal('unknown')]),
  error: Type.Optional(
    Type.Unsafe<PublicError>(Type.Object({ code: Type.Integer(), message: Type.String() })),
  ),
  validationLevel: Type.Optional(Type.String()),
  block: Type.Optional(Type.Object({ number: Quantity, hash: Word })),
  gas: Type.Object({
    preOpGas: Type.Optional(about(Quantity, 'until execution, preVerificationGas included')),
    prefund: Type.Optional(about(Quantity, 'wei')),
    verification: Type.Optional(about(Quantity, 'counts against verificationGasLimit')),
    paymasterVerification: Type.Optional(about(Quantity, 'counts against paymasterVerificationGasLimit')),
    handleOps: Type.Optional(about(Quantity, 'all of it, without the transaction and its calldata')),
  }),
  validAfter: Type.Optional(Quantity),
  validUntil: Type.Optional(Quantity),
  findings: Type.Array(FindingSchema),
  phases: Type.Optional(Type.Array(PhaseSchema)),
  calls: Type.Optional(CallSchema),
  callsLeftOut: Type.Optional(Type.Integer()),
  storage: Type.Optional(Type.Array(SlotSchema)),
})
