import type { Policies } from '../../paymaster/policies/policies.ts'
import type { Tenants } from '../../paymaster/tenants/tenants.ts'
import type { Whitelists } from '../../paymaster/whitelists/whitelists.ts'
import type { Spent } from '../../types/paymaster/policy.ts'
import type { Meter } from '../../types/ports/meter.ts'
import type { PaymasterPort } from '../../types/ports/paymaster.ts'

/** The paymaster service, as JSON-RPC and HTTP serve it. */
export type PaymasterService = {
  tenants: Pick<Tenants, 'authenticate'>
  meter: Meter
  policies: Policies
  whitelists: Whitelists
  /** What a policy has spent and promised. */
  spent(policyId: number): Spent
  /** By chain; they appear as the chains start. */
  paymasters: ReadonlyMap<number, PaymasterPort>
}
