import type { Address } from 'viem'
import type { StateOverrides } from '../../../types/ports/simulator.ts'
import type { CallRequest } from '../../eth-call.ts'
import type { StateKeys } from '../keys.ts'
import type { Shape } from './patterns.ts'

/** A run as a call that a node can trace. */
export type TraceableCall = {
  request: CallRequest
  overrides: StateOverrides
  /** of its block */
  coinbase: Address
  /** What the run reads, and the call does not or pretends something about. */
  beside?: StateKeys
}

/** What can be said about a run before it has the state that it needs. */
export type Foreseen = {
  /** What it reads in any case. */
  known: StateKeys
  call?: TraceableCall
  /** A call without overrides that reads much the same, for an access list. */
  alike?: CallRequest
  /** What it shares with runs that read the same; for a run of many operations one for each. */
  shapes?: readonly Shape[]
  /** Rounds of fetching after which nobody believes in its end; without it the usual number. */
  mostRounds?: number
}
