import type { Address, Hash, SignedAuthorization } from 'viem'
import type { ErrorWire } from '../base/errors.ts'
import type { BlockRef } from './block.ts'
import type { StakeInfo } from './entity.ts'

/** How thoroughly an operation was judged: no ERC-7562 rules, all by the node's tracer, or all here. */
export const validationLevels = ['basic', 'traced-by-node', 'full'] as const
export type ValidationLevel = (typeof validationLevels)[number]

/** What validation used besides the account. The bundle, and other operations, are held against it (ERC-7562). */
export type ValidationScope = {
  /** Contracts in which it used storage associated with its account or with one of its entities (STO-041). */
  associated: readonly Address[]
  /** Every contract that was used, with the hash of its code (COD-010). */
  codes: readonly { address: Address; hash: Hash }[]
  /** bytes that the paymaster returned (LIM-050, EREP-055) */
  contextSize: number
  /** gas of each phase in order: factory, account, paymaster, as far as there are such (EREP-070) */
  gasByPhase: readonly number[]
}

/** What validation learned about an operation that it accepted. */
export type ValidationFacts = {
  level: ValidationLevel
  /** The state it was judged on. */
  block: BlockRef
  /** wei that the EntryPoint takes before execution */
  prefund: bigint
  /** gas used until execution, preVerificationGas included */
  preOpGas: bigint
  /** s since 1970; `undefined` is without bound */
  validAfter: number | undefined
  validUntil: number | undefined
  sender: StakeInfo
  factory: StakeInfo | undefined
  paymaster: (StakeInfo & { address: Address /** wei at the EntryPoint */; deposit: bigint }) | undefined
  /** Unknown at level `basic`. */
  scope?: ValidationScope
}

/** Unknown means that we could not tell; it is retried and never counts against anyone. */
export type Verdict =
  | { kind: 'accepted'; facts: ValidationFacts }
  | { kind: 'rejected'; error: ErrorWire }
  | Unknown

/** @param retryAfterMs nobody looked: there are too many already, and callers are told to come back */
export type Unknown = { kind: 'unknown'; cause: string; retryAfterMs?: number }

/** What an entity did otherwise in the bundle than before, which fails nothing by itself (ERC-7562). */
export type Drift = {
  /** The operation's place in the bundle. */
  index: number
  rule: 'EREP-055' | 'EREP-070'
  error: ErrorWire
}

/**
 * The verdict about a whole bundle; `fails` names the culprit, as FailedOp's index does. It passes with these of its
 * operations' authorizations; those that the chain has already are left out.
 */
export type BundleVerdict =
  | { kind: 'passes'; authorizations: readonly SignedAuthorization[]; drifts?: readonly Drift[] }
  | { kind: 'fails'; index: number; error: ErrorWire }
  | { kind: 'fails-whole'; error: ErrorWire }
  | { kind: 'unknown'; cause: string }
