import type { Word } from './word.ts'

/** An account as a block has it. Balance in wei. */
export type Account = {
  readonly balance: bigint
  /** keccak-256 of the code; that of no bytes for an account without code */
  readonly codeHash: Word
  /**
   * EIP-7610: it has storage, so that nothing may be created there. Only asked of accounts without code and nonce, of
   * which mainnet has 28 with storage, all of old: sources that cannot tell leave it out.
   */
  readonly hasStorage?: boolean
}

/**
 * The state a run starts from, all of one block. It answers at once or throws: nothing is awaited inside a run.
 * @throws MissingState for what is not at hand; the caller fetches it and runs again
 */
export type StateSource = {
  /** `undefined`: the account does not exist */
  account(address: Word): Account | undefined
  /** Of an account that exists. Apart, because few runs ask for one. */
  nonce(address: Word): bigint
  /** The code of `codeHash`, which `address` has; never asked for the hash of no code. */
  code(codeHash: Word, address: Word): Uint8Array
  storage(address: Word, slot: Word): Word
  /** Of the block `number`, one of the 256 before the current (BLOCKHASH). */
  blockHash(number: bigint): Word
}

/** What a run asked for and the source had not. */
export type StateKey =
  | { kind: 'account'; address: Word }
  | { kind: 'nonce'; address: Word }
  | { kind: 'code'; codeHash: Word; address: Word }
  | { kind: 'storage'; address: Word; slot: Word }
  | { kind: 'block-hash'; number: bigint }

/** Ends a run whose state is not at hand. It is no verdict: nothing is known about the code that ran. */
export class MissingState extends Error {
  override readonly name = 'MissingState'
  constructor(readonly key: StateKey) {
    super(`state not at hand: ${key.kind}`)
  }
}
