import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { AuditEntry, Deployment, PaymasterStorePort } from '../types/ports/paymaster-store.ts'

/** The verifying paymasters that tenants have deployed; each stays for ever. */
export type Deployments = {
  find(tenantId: string, chainId: number, version: EntryPointVersion): Promise<Deployment | undefined>
  /** @throws when there is one for this tenant, chain and version already */
  add(deployment: Deployment, audit: AuditEntry): Promise<void>
}

/** Kept in memory; one that is not there is looked for in the store, where the command line may have put it. */
export function createDeployments({
  store,
}: {
  store: Pick<PaymasterStorePort, 'deployments' | 'addDeployment'>
}): Deployments {
  const known = new Map<string, Deployment>()
  return {
    async find(tenantId, chainId, version) {
      const key = keyOf({ tenantId, chainId, version })
      if (!known.has(key))
        for (const deployment of await store.deployments(undefined)) known.set(keyOf(deployment), deployment)
      return known.get(key)
    },
    async add(deployment, audit) {
      await store.addDeployment({ deployment, audit })
      known.set(keyOf(deployment), deployment)
    },
  }
}

const keyOf = ({ tenantId, chainId, version }: Pick<Deployment, 'tenantId' | 'chainId' | 'version'>) =>
  `${tenantId} ${chainId} ${version}`
