import type { ServiceSettings } from '../config/schema.ts'
import type { StoreOptions } from '../store/protocol.ts'

export function storeOptions(service: ServiceSettings): StoreOptions {
  return {
    url: service.database,
    authToken: service.databaseAuthToken,
    leaseDuration: service.leaseDuration * 1000,
  }
}
