import type { TandemError } from '../../../src/base/errors.ts'
import { toWire } from '../../../src/base/errors.ts'
import { createPool } from '../../../src/pool/pool.ts'
import type { PoolSettings } from '../../../src/pool/settings.ts'
import type { PoolCandidate, PoolPort, SelectOptions } from '../../../src/types/ports/pool.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { candidate } from '../../support/builders.ts'

export const settings: PoolSettings = {
  version: '0.7',
  minStake: 10n ** 18n,
  minUnstakeDelay: 86_400,
  minInclusionDenominator: 10,
  throttlingSlack: 10,
  banSlack: 50,
  whitelistedEntities: { paymaster: [], account: [], factory: [] },
  maxNonceGap: 10,
  useropsTTL: 300,
  maxPoolAge: 3600,
  maxPoolSize: 1000,
}

export const pool = (changes: Partial<PoolSettings> = {}): PoolPort => createPool({ ...settings, ...changes })

export function admit(to: PoolPort, op: UserOperation, changes: Partial<PoolCandidate> = {}, now = 0) {
  return to.admit(candidate(op, changes), now)
}

export function select(from: PoolPort, changes: Partial<SelectOptions> = {}): readonly UserOperation[] {
  const options = {
    timestamp: 1000,
    now: 0,
    baseFee: 0n,
    maxGas: 10n ** 9n,
    maxBytes: 10 ** 9,
    maxOperations: 500,
    ...changes,
  }
  return from.select(options).map((entry) => entry.op)
}

/** The wire form of what `task` throws. */
export function refusal(task: () => unknown) {
  try {
    task()
  } catch (error) {
    return toWire(error as TandemError)
  }
  throw new Error('nothing was refused')
}
