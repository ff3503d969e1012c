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
  reputation(): readonly EntityReport[]
}

/** Of the whole service: that of every chain, of the store and of the start. */
export type ServiceReadiness = Readiness & { chains: readonly ({ chainId: number } & Readiness)[] }

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

export type EntityReport = ReputationView & { entryPoint: Address }
