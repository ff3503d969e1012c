import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { GasLimits, SimulatedGas } from '../../types/gas.ts'
import type { ValidationData } from '../validation-data.ts'
import { grown } from './limits.ts'

/** How an operation fares with exactly the limits that it was given. */
export type Trial =
  | { kind: 'holds'; range: Pick<ValidationData, 'validAfter' | 'validUntil'> }
  /** `field` is the limit that may be too low; without it, more gas will not help. */
  | { kind: 'fails'; error: Error; field: keyof GasLimits | undefined }

/** Runs the operation with these limits. `attempt` counts from 1. @throws Unavailable when we could not tell */
export type TryLimits = (limits: GasLimits, attempt: number) => Promise<Trial>

/**
 * The limits from `measured` on that were simulated exactly as they are returned (ERC-7769
 * eth_estimateUserOperationGas): one that proves too low grows, until the `attempts` are used up.
 * @throws the error of the last trial, and what `tryLimits` throws
 */
export async function settle(
  { version, measured, attempts }: { version: EntryPointVersion; measured: GasLimits; attempts: number },
  tryLimits: TryLimits,
): Promise<SimulatedGas> {
  let limits = measured
  for (let attempt = 1; ; attempt++) {
    const trial = await tryLimits(limits, attempt)
    if (trial.kind === 'holds') return { ...limits, ...trial.range }
    if (trial.field === undefined || attempt === attempts) throw trial.error
    limits = grown(version, limits, trial.field)
  }
}
