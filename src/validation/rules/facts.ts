import type { Word } from '../../evm/word.ts'
import type { EntityKind } from '../../types/entity.ts'

/**
 * What an operation did while it was validated: all that the rules of ERC-7562 ask about, and nothing of what they say
 * to it. Plain data that structured clone takes; addresses, slots and hashes are words. Whoever watches a run can fill
 * it: our own EVM (collector.ts) or a node's tracer. What the EntryPoint's own code does is no part of it.
 */
export type OperationFacts = {
  readonly parties: Parties
  /** Those that ran, in order: factory, account, paymaster. */
  readonly phases: readonly PhaseFacts[]
  /** What was hashed while it was validated, as far as it may make slots of a party its own. */
  readonly hashed: readonly HashedOwner[]
  /** Every contract that was used, entities too, with its code when it was met first (COD-010). */
  readonly codes: readonly CodeFacts[]
  /** bytes of the context that the paymaster returned; 0 without a paymaster */
  readonly contextSize: number
  readonly gas: GasFacts
}

/** Who takes part. `factory` deploys: there is none for accounts that exist, EIP-7702's among them. */
export type Parties = {
  readonly entryPoint: Word
  readonly account: Word
  readonly factory: Word | undefined
  readonly paymaster: Word | undefined
}

/** A phase of validation is attributed to one entity (ERC-7562, definitions). Aggregators have none before the bundle. */
export type PhaseEntity = Exclude<EntityKind, 'aggregator'>

/** What all frames of a phase did. `by` is always the address that a frame ran as: the proxy, not its library. */
export type PhaseFacts = {
  readonly entity: PhaseEntity
  readonly address: Word
  /** Of the opcodes that rules name (opcodes.ts), once for each `by`. GAS only where no call follows at once (OP-012). */
  readonly opcodes: readonly OpcodeUse[]
  /** Opcodes that the hardfork does not assign, the designated INVALID left out. */
  readonly unassigned: readonly OpcodeUse[]
  /** Frames that ran out of gas, or found no room on the call stack. */
  readonly exhausted: readonly Word[]
  readonly creations: readonly Creation[]
  /**
   * Targets of calls, then of EXTCODE*, precompiles too, each once in either; met without code at any time counts as
   * without.
   */
  readonly uses: readonly AddressUse[]
  /** EXTCODE* and calls to the EntryPoint, in order. */
  readonly entryPointUses: readonly EntryPointUse[]
  /** Calls with value to others than the EntryPoint. */
  readonly valueCalls: readonly ValueCall[]
  readonly storage: readonly StorageUse[]
  /** gas, of the entity's frame and all below it */
  readonly gasUsed: number
}

export type OpcodeUse = { readonly opcode: number; readonly by: Word }

/** CREATE or CREATE2, even when it fails. */
export type Creation = {
  readonly opcode: number
  readonly by: Word
  /** `undefined`: it did not come so far */
  readonly created: Word | undefined
}

export type AddressUse = {
  readonly opcode: number
  readonly by: Word
  readonly address: Word
  readonly hasCode: boolean
}

export type EntryPointUse = {
  readonly opcode: number
  readonly by: Word
  /** EXTCODESIZE with ISZERO right behind it (OP-051). */
  readonly isZeroCheck: boolean
  /** bytes of a call's input */
  readonly inputSize: number
  /** The first four bytes of it, and the word behind them; zeros where it ends before. */
  readonly selector: number
  readonly argument: Word
}

export type ValueCall = { readonly opcode: number; readonly by: Word; readonly to: Word }

/** All that was done to one slot of one contract in a phase. */
export type StorageUse = {
  readonly contract: Word
  readonly slot: Word
  readonly isRead: boolean
  readonly isWritten: boolean
  /** TLOAD and TSTORE (OP-070) */
  readonly isTransient: boolean
}

/** `hash` = keccak-256(owner ‖ x) with 32 bytes each. `owner` is a party. */
export type HashedOwner = { readonly owner: Word; readonly hash: Word }

export type CodeFacts = {
  readonly address: Word
  /** keccak-256; of no bytes when there was no code */
  readonly hash: Word
  /** The delegate whose code it runs (EIP-7702). */
  readonly delegate: Word | undefined
}

/** gas that counts against each limit, the EntryPoint's own share included; `undefined`: the source cannot tell */
export type GasFacts = {
  /** Against verificationGasLimit. */
  readonly verification: number | undefined
  /** Against paymasterVerificationGasLimit; always `undefined` in 0.6, where one limit is for both. */
  readonly paymasterVerification: number | undefined
}
