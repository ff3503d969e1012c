import type { TenantStorePort } from '../../types/ports/paymaster-store.ts'
import type { Tenants } from './tenants.ts'

/** Whether these are the tenants' own: a wallet made under another master key would never be opened. @throws WrongMasterKey */
export async function checkMasterKey(
  tenants: Pick<Tenants, 'wallet'>,
  store: Pick<TenantStorePort, 'tenants'>,
): Promise<void> {
  const [first] = await store.tenants(undefined)
  if (first !== undefined) tenants.wallet(first)
}
