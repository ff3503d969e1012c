import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { Database } from '../database.ts'
import { createAudit } from './audit.ts'
import { createCredits } from './credits.ts'
import { createDebtorStore } from './debtors.ts'
import { createDeployments } from './deployments.ts'
import { createLedgerStore } from './ledger.ts'
import { createPolicies } from './policies.ts'
import { createTenants } from './tenants.ts'
import { createWhitelists } from './whitelists.ts'

/** The paymaster's part of the store. */
export function createPaymasterStore(database: Database): PaymasterStorePort {
  return {
    ...createTenants(database),
    ...createPolicies(database),
    ...createWhitelists(database),
    ...createDeployments(database),
    ...createLedgerStore(database),
    ...createDebtorStore(database),
    ...createCredits(database),
    ...createAudit(database),
  }
}
