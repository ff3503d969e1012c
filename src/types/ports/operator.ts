import type { Address, Hash } from 'viem'
import type { Head } from '../block.ts'
import type { EntryPointVersion } from '../entrypoint-version.ts'
import type { Readiness } from './bundler.ts'
import type { PoolEntry, PooledState, ReputationView } from './pool.ts'
import type { RelayerState, RelayersReport } from './submitter.ts'

/** What the operator may see of one chain; nothing here changes anything. */
export type ChainInspector = {
  readonly chainId: number
  readiness(): Readiness
  overview(): ChainOverview
  pool(page: Page): PoolReport
  /** @throws Unavailable when the submitter cannot tell */
  relayers(): Promise<RelayersReport>
  /** Those that are watched, and those of pooled operations. */
  paymasters(): readonly PaymasterReport[]
  reputation(): readonly EntityReport[]
}

/** Of the whole service: `own` is what is missing of the store and the start, `missing` that and what chains miss. */
export type ServiceReadiness = Readiness & {
  own: readonly string[]
  chains: readonly ({ chainId: number } & Readiness)[]
}

export type ChainOverview = {
  chainId: number
  entryPoints: readonly { version: EntryPointVersion; address: Address }[]
  /** The newest block that was handled. */
  head: Head | undefined
  /** ms since a head was seen; `undefined` before the first */
  headAge: number | undefined
  /** s between blocks; `undefined` until it is learned */
  blockTime: number | undefined
  /** in the pools */
  operations: number
  relayers: Readonly<Record<RelayerState, number>>
}

/** Entries `offset` to `offset + limit`, in the order of their arrival, the pools one after the other. */
export type Page = { offset: number; limit: number }

export type PoolReport = {
  /** in all pools */
  total: number
  byState: Readonly<Record<PooledState['kind'], number>>
  byEntryPoint: Readonly<Record<Address, number>>
  /** ms; `undefined` when there is none */
  oldestAge: number | undefined
  entries: readonly PooledOperation[]
}

export type PooledOperation = Pick<PoolEntry, 'op' | 'state' | 'failures'> & {
  hash: Hash
  entryPoint: Address
  /** ms since it was received */
  age: number
}

/** What a paymaster has at an EntryPoint, as last read. */
export type PaymasterReport = {
  paymaster: Address
  entryPoint: Address
  /** wei */
  deposit: bigint
  /** The operator's own. */
  isWatched: boolean
  /** Of a watched one: it was told to be low. */
  isLow: boolean
}

export type EntityReport = ReputationView & { entryPoint: Address }
