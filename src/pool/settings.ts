import type { Address } from 'viem'
import type { StakeRequirement } from '../types/entity.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'

/** What the operator decides about a pool; a chain's section of the configuration fits it. */
export type PoolSettings = StakeRequirement & {
  version: EntryPointVersion
  minInclusionDenominator: number
  /** operations */
  throttlingSlack: number
  banSlack: number
  whitelistedEntities: {
    readonly paymaster: readonly Address[]
    readonly account: readonly Address[]
    readonly factory: readonly Address[]
  }
  /** nonces */
  maxNonceGap: number
  /** s; after this a pending operation may be replaced without a bump, and a nonce gap is given up */
  useropsTTL: number
  /** s */
  maxPoolAge: number
  /** operations */
  maxPoolSize: number
}
