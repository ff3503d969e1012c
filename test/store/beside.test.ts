import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createMetrics } from '../../src/base/metrics.ts'
import { inspect } from '../../src/store/inspect.ts'
import { openTenantsBeside } from '../../src/store/paymaster/beside.ts'
import type { Store } from '../../src/store/protocol.ts'
import { openStore } from '../../src/store/store.ts'
import type { Tenant } from '../../src/types/paymaster/tenant.ts'
import { databaseKinds, startDatabase } from '../support/database.ts'
import { address } from './builders.ts'
import { storeOptions } from './places.ts'

const tenant: Tenant = {
  ...{ id: 'ann', name: 'Ann', walletAddress: address(1), encryptedKey: '0x01', createdAt: 5 },
}
const audit = { at: 5, tenantId: 'ann', keyId: undefined, action: 'tenant.add', subject: 'ann' }

describe.each(databaseKinds)('tenants beside a store on a %s', (kind) => {
  let database: Awaited<ReturnType<typeof startDatabase>>
  beforeEach(async () => {
    database = await startDatabase(kind)
  })
  afterEach(() => database[Symbol.asyncDispose]())

  const place = () => ({ url: database.url, authToken: undefined })
  const openOwner = (): Promise<Store> =>
    openStore(storeOptions(database.url), {
      metrics: createMetrics(),
      onFatal(error) {
        throw error
      },
    })

  test('a new database gets its schema, and nobody has it afterwards', async () => {
    const beside = await openTenantsBeside(place())
    await beside.addTenant({ tenant, audit })
    beside.close()
    const { schema, lease } = await inspect(place())
    expect(schema.found).toBe(schema.known)
    expect(lease).toBeUndefined()
    const owner = await openOwner()
    expect(await owner.tenants(undefined)).toEqual([tenant])
    await owner.close(undefined)
  })

  test('the owner reads at once what is written beside it, and keeps its lease', async () => {
    const owner = await openOwner()
    const beside = await openTenantsBeside(place())
    await beside.addTenant({ tenant, audit })
    expect(await owner.tenants(undefined)).toEqual([tenant])
    expect(await owner.auditLog({ tenantId: 'ann', limit: 5 })).toEqual([audit])
    beside.close()
    await owner.audit({ entry: audit })
    expect(await owner.auditLog({ tenantId: 'ann', limit: 5 })).toEqual([audit, audit])
    await owner.close(undefined)
  })
})
