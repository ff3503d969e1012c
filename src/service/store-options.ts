import type { ChainSettings } from '../config/schemas/chain.ts'
import type { ServiceSettings } from '../config/schemas/service.ts'
import type { StoreOptions } from '../store/protocol.ts'

/** ms */
const day = 86_400_000

export function storeOptions(
  service: ServiceSettings,
  chains: readonly Pick<ChainSettings, 'reorgDepth'>[],
): StoreOptions {
  return {
    url: service.database,
    authToken: service.databaseAuthToken,
    leaseDuration: service.leaseDuration * 1000,
    retention: {
      age: service.historyAge * day,
      auditAge: service.auditAge * day,
      size: service.historySize * 2 ** 20,
      reorgDepth: Math.max(...chains.map((chain) => chain.reorgDepth)),
    },
  }
}
