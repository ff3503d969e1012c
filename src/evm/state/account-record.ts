import type { Word } from '../word.ts'

/** A storage slot in a transaction. */
export type Slot = {
  value: Word
  /** Before the transaction (EIP-2200). */
  original: Word
  /** EIP-2929 */
  isWarm: boolean
}

/** What the source or the run says about an account. `nonce: undefined`: nobody has asked yet. */
export type AccountData = { nonce: bigint | undefined; balance: bigint; codeHash: Word }

/** An account that a run has met. */
export type AccountRecord = {
  readonly address: Word
  /** `undefined`: nobody has asked yet */
  data: AccountData | undefined
  /** Set by the run; `undefined`: the source has it. */
  code: Uint8Array | undefined
  readonly slots: Map<Word, Slot>
  /** EIP-1153; made on first use */
  transient: Map<Word, Word> | undefined
  /** EIP-2929 */
  isWarm: boolean
  /** Made or deleted by the run: the source knows nothing about its storage. */
  isFresh: boolean
  /** In this transaction (EIP-6780). */
  isCreated: boolean
  /** To be deleted when the transaction ends. */
  isDestroyed: boolean
  /** Value, even of 0, was sent to it: if it is empty, it is deleted when the transaction ends (EIP-161). */
  isTouched: boolean
}

export function newRecord(address: Word): AccountRecord {
  return {
    address,
    data: undefined,
    code: undefined,
    slots: new Map(),
    transient: undefined,
    isWarm: false,
    isFresh: false,
    isCreated: false,
    isDestroyed: false,
    isTouched: false,
  }
}
