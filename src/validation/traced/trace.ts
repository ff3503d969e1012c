import type { Hex } from 'viem'
import type { Word } from '../../evm/word.ts'

/** A call as a node traced it: what geth's erc7562Tracer tells, as far as we read it. */
export type Trace = {
  readonly root: TraceFrame
  /** What KECCAK256 was given anywhere in it. */
  readonly preimages: readonly Hex[]
}

export type TraceFrame = {
  readonly type: FrameType
  /** Who called, and whose storage a DELEGATECALL or CALLCODE works on. */
  readonly from: Word
  /** Whose code ran, or what was created; `undefined` for a creation that failed. */
  readonly to: Word | undefined
  /** wei */
  readonly value: bigint
  readonly input: Hex
  readonly output: Hex
  readonly gasUsed: number
  /** In the node's words; `undefined`: it returned. */
  readonly error: string | undefined
  readonly outOfGas: boolean
  /** Slots, each once; those that the frame wrote before it read them are only among the writes. */
  readonly reads: readonly Word[]
  readonly writes: readonly Word[]
  readonly transientReads: readonly Word[]
  readonly transientWrites: readonly Word[]
  /** How often, without those no rule is about; GAS only where no call follows at once. */
  readonly opcodes: ReadonlyMap<number, number>
  /** Targets of EXTCODE*, in order, but for EXTCODESIZE with ISZERO right behind it. */
  readonly looksAtCode: readonly Word[]
  /** Targets of EXTCODE* and of calls, each once. */
  readonly contracts: readonly MetContract[]
  readonly calls: readonly TraceFrame[]
}

export const frameTypes = [
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
  'CREATE',
  'CREATE2',
  'SELFDESTRUCT',
] as const
export type FrameType = (typeof frameTypes)[number]

/** A contract when the frame met it first: its code in bytes, and the opcode that used it. */
export type MetContract = {
  readonly address: Word
  readonly codeSize: number
  readonly opcode: number
}
