import { describe } from '../base/errors.ts'
import { unknown } from '../config/given.ts'
import { type KeysConfiguration, loadKeysConfiguration, loadNewKeyConfiguration } from '../config/load.ts'
import { checkMasterKey } from '../paymaster/tenants/master-key.ts'
import { createTenants, type NewKey, type Tenants } from '../paymaster/tenants/tenants.ts'
import { openTenantsBeside } from '../store/paymaster/beside.ts'
import type { ApiKey, Tenant } from '../types/paymaster/tenant.ts'
import { configured } from './configured.ts'

const actions = ['create', 'list', 'rotate', 'revoke'] as const

/** API keys, beside a service that may be running. Gives the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const [action = '', ...rest] = args
  switch (action) {
    case 'create': {
      const configuration = configured(() => loadNewKeyConfiguration({ args: rest, env: process.env }))
      if (configuration === undefined) return 2
      const { name, scopes, creditsPerMonth, creditsPerSecond } = configuration
      const terms = { scopes, creditsPerMonth, creditsPerSecond }
      return withTenants(configuration, async (tenants) => show(await tenants.create(name, terms)))
    }
    case 'list':
      return withKeys(rest, async (tenants) => {
        for (const { tenant, keys } of await tenants.list())
          for (const key of keys) process.stdout.write(`${line(tenant, key)}\n`)
      })
    case 'rotate':
      return withKey(action, rest, async (tenants, id) => show(await tenants.rotate(id)))
    case 'revoke':
      return withKey(action, rest, async (tenants, id) => {
        await tenants.revoke(id)
        process.stdout.write(`tandem: ${id} is revoked\n`)
      })
    default: {
      const given = action.startsWith('--') ? '' : action
      return wrong(
        given === '' ? `keys needs one of: ${actions.join(', ')}` : unknown(given, 'one of keys', actions),
      )
    }
  }
}

type Task = (tenants: Tenants) => Promise<void>

function withKey(
  action: string,
  [id, ...rest]: readonly string[],
  task: (tenants: Tenants, id: string) => Promise<void>,
): Promise<number> | number {
  if (id === undefined || id.startsWith('--'))
    return wrong(`keys ${action} needs the id of a key: keys list shows them`)
  return withKeys(rest, (tenants) => task(tenants, id))
}

function withKeys(args: readonly string[], task: Task): Promise<number> | number {
  const configuration = configured(() => loadKeysConfiguration({ args, env: process.env }))
  return configuration === undefined ? 2 : withTenants(configuration, task)
}

async function withTenants(configuration: KeysConfiguration, task: Task): Promise<number> {
  const { database, databaseAuthToken, masterKey } = configuration
  try {
    const store = await openTenantsBeside({ url: database, authToken: databaseAuthToken })
    try {
      const tenants = createTenants({ masterKey }, { store, now: Date.now })
      await checkMasterKey(tenants, store)
      await task(tenants)
      return 0
    } finally {
      store.close()
    }
  } catch (error) {
    process.stderr.write(`tandem: ${describe(error)}\n`)
    return 1
  }
}

function wrong(problem: string): number {
  process.stderr.write(`tandem: ${problem}\n`)
  return 2
}

function show({ text, key, tenant }: NewKey): void {
  process.stdout.write(`${line(tenant, key)}\n${text}\n`)
  process.stderr.write('tandem: this is the only time that the key is shown\n')
}

/** One key, without its text. */
function line({ name, walletAddress }: Tenant, key: ApiKey): string {
  const month = key.creditsPerMonth ?? 'unlimited'
  const second = key.creditsPerSecond ?? 'unlimited'
  const state = key.revokedAt === undefined ? 'valid' : `revoked ${new Date(key.revokedAt).toISOString()}`
  return [
    key.id,
    `${key.hint}…`,
    state,
    `wallet ${walletAddress}`,
    key.scopes.join(','),
    `credits ${month} a month, ${second} a second`,
    `created ${new Date(key.createdAt).toISOString()}`,
    name,
  ].join('  ')
}
