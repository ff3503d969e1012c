import type { Address } from 'viem'
import type { Json } from '../../base/errors.ts'
import type { BlockRef } from '../block.ts'
import type { EntryPointVersion } from '../entrypoint-version.ts'
import type { Explanation } from '../explanation.ts'
import type { SimulatedGas } from '../gas.ts'
import type { UserOperation } from '../userop.ts'
import type { BundleVerdict, ValidationScope, Verdict } from '../verdict.ts'
import type { ReadAt } from './chain.ts'

/** All that the checks of an operation against the chain's state need. */
export type ValidateJob = {
  chainId: number
  op: UserOperation
  /** `timestamp` in s since 1970: the operation's time range is measured against it. */
  block: BlockRef & { timestamp: number }
  /** The sequence the EntryPoint shall believe to be next for this nonce's key; for operations ahead of their turn. */
  nonceSequence: bigint | undefined
}

/** State overrides of eth_call, in the form nodes take (ERC-7769, third parameter). */
export type StateOverrides = { readonly [address: Address]: Json }

export type EstimateJob = {
  chainId: number
  /** Gas limits are ignored; fees are simulated as given. */
  op: UserOperation
  block: BlockRef
  nonceSequence: bigint | undefined
  stateOverrides: StateOverrides | undefined
}

/** `stateOverrides` hold for all but what is asked about delegations and deposits. */
export type ExplainJob = ValidateJob & { stateOverrides: StateOverrides | undefined }

export type CheckBundleJob = {
  chainId: number
  version: EntryPointVersion
  ops: readonly UserOperation[]
  /** What validation of each used when it was accepted, as far as it is known (COD-010, EREP-055, EREP-070). */
  scopes?: readonly (ValidationScope | undefined)[]
  beneficiary: Address
  /** The relayer that will send it. */
  from: Address
  gasLimit: bigint
  maxFeePerGas: bigint
  block: ReadAt
}

/** What a new head calls for before anybody asks. */
export type PrepareJob = {
  chainId: number
  block: BlockRef
  /** Those that may be asked about next. */
  ops: readonly UserOperation[]
  /** Blocks were removed: what stood there may be gone. */
  reorg: boolean
}

/**
 * Thrown errors are rejections (`TandemError`) or `Unavailable`; `validate`, `rehearse`, `explain` and `checkBundle`
 * return them.
 */
export type SimulatorPort = {
  validate(job: ValidateJob): Promise<Verdict>
  /**
   * For an operation whose account signs later: what `validate` will say then, of the rules too where our own EVM runs
   * it. In 0.6 the EntryPoint says nothing of a paymaster behind an account whose signature fails.
   */
  rehearse(job: ValidateJob): Promise<Verdict>
  /** @throws TandemError -32521 when the call reverts, another code of the table when validation fails */
  estimate(job: EstimateJob): Promise<SimulatedGas>
  /** The verdict of `validate` with all that is behind it. */
  explain(job: ExplainJob): Promise<Explanation>
  checkBundle(job: CheckBundleJob): Promise<BundleVerdict>
}
