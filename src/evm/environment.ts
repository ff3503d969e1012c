import type { Hardfork } from './hardfork.ts'
import type { Precompiles } from './precompile.ts'
import type { Word } from './word.ts'

/** The block that a run is part of: COINBASE, TIMESTAMP, NUMBER, PREVRANDAO, GASLIMIT, BASEFEE, BLOBBASEFEE. */
export type BlockEnvironment = {
  readonly number: bigint
  /** seconds since 1970 */
  readonly timestamp: bigint
  readonly gasLimit: bigint
  /** wei a gas */
  readonly baseFee: bigint
  /** wei a blob gas (EIP-7516) */
  readonly blobBaseFee: bigint
  readonly coinbase: Word
  readonly prevRandao: Word
}

/** The transaction that a run is part of: ORIGIN, GASPRICE, BLOBHASH. */
export type TransactionEnvironment = {
  readonly origin: Word
  /** wei a gas, what is really paid */
  readonly gasPrice: bigint
  /** EIP-4844 */
  readonly blobHashes: readonly Word[]
}

/** What is the same for every block. */
export type ChainRules = {
  readonly chainId: bigint
  readonly hardfork: Hardfork
  readonly precompiles: Precompiles
  /** keccak-256; must not keep `bytes`, which may be memory of a running frame */
  readonly keccak: (bytes: Uint8Array) => Word
  /** What an opcode that no hardfork knows means: a chain with opcodes of its own makes the run `Unsupported`. */
  readonly unknownOpcodes: 'invalid' | 'unsupported'
}

/** All that a message may learn besides the state. */
export type Environment = {
  readonly chain: ChainRules
  readonly block: BlockEnvironment
  readonly transaction: TransactionEnvironment
}
