import type { Endpoint } from './endpoint.ts'
import { depositEndpoints } from './endpoints/deposit.ts'
import { metadataEndpoints } from './endpoints/metadata.ts'
import { ownPaymasterEndpoints } from './endpoints/own-paymaster.ts'
import { policyEndpoints } from './endpoints/policies.ts'
import { tokenEndpoints } from './endpoints/tokens.ts'
import { whitelistEndpoints } from './endpoints/whitelist.ts'

/** All REST calls of the paymaster service: the routes, the prices and the documentation come from here. */
export const endpoints: readonly Endpoint[] = [
  ...whitelistEndpoints,
  ...depositEndpoints,
  ...ownPaymasterEndpoints,
  ...tokenEndpoints,
  ...metadataEndpoints,
  ...policyEndpoints,
]
