import type { Address } from 'viem'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { ConfigView } from './config-view.ts'

/** What the operator decides about one chain; the chain's section of the configuration fits it. */
export type BundlerSettings = Omit<ConfigView, 'entryPoints' | 'relayers'> & {
  /** Served EntryPoints, the preferred one first. */
  versions: readonly EntryPointVersion[]
  /** gas that a bundle transaction may ask for */
  transactionGasCap: bigint
  /** bytes of its calldata */
  transactionBytesCap: number
  /** bytes of a packed operation */
  maxUserOperationSize: number
  /** s that the newest block may be old; `undefined` follows the block time, 0 is never too old */
  maxHeadAge?: number | undefined
  /** Paymasters of the operator, whose deposits are watched. */
  watchedPaymasters: readonly Address[]
  /** wei; a watched paymaster with less is low */
  minPaymasterDeposit: bigint
  /** wei; least priority fee to recommend and to accept */
  minPriorityFee: bigint
  /** s for which what was quoted is accepted */
  quoteValidity: number
  /** The chain has EIP-7623's calldata floor. */
  eip7623: boolean
}
