import type { Address, Hex } from 'viem'
import type { Json } from '../base/errors.ts'
import type { EntityKind } from './entity.ts'
import type { Phase } from './phase.ts'
import type { Verdict } from './verdict.ts'

/** A rule of ERC-7562 that an operation breaks. `message` names the entity and what it did. */
export type BrokenRule = {
  rule: string
  entity: EntityKind
  address: Address
  message: string
  opcode: string | undefined
  slot: Hex | undefined
  /** Where the slot is, what was called, what was created. */
  contract: Address | undefined
  hint: string
  /** Who would have to be staked so that the rule allows it; `undefined`: no stake does. */
  liftedBy: { entity: EntityKind; address: Address } | undefined
  /** That one is staked: it is allowed. */
  isLifted: boolean
}

/** Gas of one phase: what its call used, the least that would have done, and the limit that it falls under. */
export type PhaseGas = {
  phase: Phase
  succeeded: boolean
  gasUsed: number
  leastGas: number
  limit: bigint
}

/** A function whose ABI is known; without arguments where they cannot be read, or are too long to be told. */
export type Decoded = { name: string; args: readonly Json[] | undefined }

/** A call or creation with all that it made in turn. Gas and bytes as numbers. */
export type CallNode = {
  kind: 'call' | 'callcode' | 'delegatecall' | 'staticcall' | 'create' | 'create2'
  /** The phase that it begins. */
  phase: Phase | undefined
  from: Address
  /** Whose code runs; of a creation the new contract. */
  to: Address
  /** wei */
  value: bigint
  /** What is left out of a long one, `inputSize` counts. */
  input: Hex
  inputSize: number
  decoded: Decoded | undefined
  gas: number
  gasUsed: number
  result: 'returned' | 'reverted' | 'halted' | 'refused'
  /** Why it halted or was not run. */
  reason: string | undefined
  output: Hex
  outputSize: number
  /** What it reverted with, in one line. */
  revert: string | undefined
  calls: CallNode[]
}

/** A slot that was used, with its value before and after. */
export type TouchedSlot = {
  contract: Address
  slot: Hex
  isRead: boolean
  isWritten: boolean
  /** EIP-1153: gone after the transaction; its values are not told. */
  isTransient: boolean
  /** In which it was used, by other code than the EntryPoint's; none: only the EntryPoint itself uses it. */
  phases: readonly Phase[]
  before: Hex
  after: Hex
}

/**
 * handleOps of the operation alone, run as if it were signed and due, so that a wrong signature does not hide what
 * would follow.
 */
export type HandledOperation = {
  phases: readonly PhaseGas[]
  /** gas against verificationGasLimit and paymasterVerificationGasLimit as the EntryPoint counts it, its own included */
  verificationGas: number | undefined
  paymasterVerificationGas: number | undefined
  /** gas of handleOps, calldata and the transaction itself left out */
  gasUsed: number
  calls: CallNode
  /** Calls that are not in the tree, as it has no room. */
  callsLeftOut: number
  storage: readonly TouchedSlot[]
}

/** All that is known of an operation that nobody sends. */
export type Explanation = {
  verdict: Verdict
  findings: readonly BrokenRule[]
  /** `undefined`: the node judged, which does not show it. */
  handled: HandledOperation | undefined
}
