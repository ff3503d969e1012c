import type { Hex } from 'viem'
import type { Context } from '../../base/context.ts'
import type { Shutdown } from '../../base/shutdown.ts'
import { openMeter, type StoredMeter } from '../../paymaster/credits/meter.ts'
import { createDeployments, type Deployments } from '../../paymaster/deployments.ts'
import { type Books, openBooks } from '../../paymaster/ledger/books.ts'
import { loadPolicies, type Policies } from '../../paymaster/policies/policies.ts'
import { checkMasterKey } from '../../paymaster/tenants/master-key.ts'
import { createTenants, type Tenants } from '../../paymaster/tenants/tenants.ts'
import { createWhitelists } from '../../paymaster/whitelists/whitelists.ts'
import type { PaymasterService } from '../../rpc/paymaster/service.ts'
import type { PaymasterPort } from '../../types/ports/paymaster.ts'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { BundleEvent } from '../../types/ports/submitter.ts'

/** The part of the paymaster service that all chains share. */
export type Paymasters = {
  tenants: Tenants
  policies: Policies
  books: Books
  meter: StoredMeter
  deployments: Deployments
  /** By chain; they appear as the chains start. */
  ports: Map<number, PaymasterPort>
  /** Who hears what became of wallets' transactions, by chain. */
  walletEars: Map<number, (event: BundleEvent) => void>
  /** All of it, for JSON-RPC and HTTP. */
  service: PaymasterService
}

/** ms between saves of credits: what a crash forgets at most */
const savePeriod = 5_000

/** @throws WrongMasterKey, Unavailable */
export async function openPaymasters(
  { masterKey }: { masterKey: Hex },
  modules: Context & { store: PaymasterStorePort; shutdown: Shutdown; now: () => number },
): Promise<Paymasters> {
  const { store, shutdown, now } = modules
  const tenants = createTenants({ masterKey }, { store, now })
  await checkMasterKey(tenants, store)
  const [policies, books, meter] = await Promise.all([
    loadPolicies({ store, now }),
    openBooks({ signal: shutdown.signal }, modules),
    openMeter(modules),
  ])
  const saving = setInterval(() => void meter.save(), savePeriod)
  shutdown.onStop('credits', () => {
    clearInterval(saving)
    return meter.save()
  })
  const whitelists = createWhitelists({ store, policies, now })
  const ports = new Map<number, PaymasterPort>()
  const { spent } = books.ledger
  return {
    ...{ tenants, policies, books, meter, ports },
    deployments: createDeployments({ store }),
    walletEars: new Map(),
    service: { tenants, policies, meter, whitelists, spent, paymasters: ports },
  }
}
