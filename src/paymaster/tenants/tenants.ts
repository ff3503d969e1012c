import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { ApiKey, Caller, Scope, Tenant } from '../../types/paymaster/tenant.ts'
import type { AuditEntry, TenantStorePort } from '../../types/ports/paymaster-store.ts'
import { PaymasterError } from '../paymaster-error.ts'
import { createApiKey, hashApiKey } from './api-key.ts'
import { createWalletCipher } from './wallet-cipher.ts'

/** What a new key may do and spend. */
export type KeyTerms = Pick<ApiKey, 'scopes' | 'creditsPerMonth' | 'creditsPerSecond'>

/** A key as it is made: `text` is shown once and kept nowhere. */
export type NewKey = { text: string; key: ApiKey; tenant: Tenant }

/** Who may use the paymaster service, and with whose money (answers.md §2: a key is a tenant). */
export type Tenants = {
  /**
   * @param scope what the key must have been made for; `undefined`: any key will do
   * @throws PaymasterError 401 for a key that is missing, unknown, revoked, or not made for this
   */
  authenticate(text: string | undefined, scope: Scope | undefined): Promise<Caller>
  /** A tenant with a sponsor wallet of its own, and its first key. */
  create(name: string, terms: KeyTerms): Promise<NewKey>
  /**
   * Another key with the same terms; the old one is revoked, if it is not already: then its tenant has one again.
   * @throws PaymasterError 404
   */
  rotate(keyId: string): Promise<NewKey>
  /** @throws PaymasterError 404, 409 when it is revoked already */
  revoke(keyId: string): Promise<void>
  list(): Promise<readonly { tenant: Tenant; keys: readonly ApiKey[] }[]>
  /** The sponsor wallet, able to sign. @throws WrongMasterKey */
  wallet(tenant: Tenant): PrivateKeyAccount
  /** Its private key, for the thread that sends its transactions. @throws WrongMasterKey */
  walletKey(tenant: Tenant): Hex
}

/** @throws Error for a master key that is none */
export function createTenants(
  { masterKey }: { masterKey: Hex },
  { store, now }: { store: TenantStorePort; now: () => number },
): Tenants {
  const cipher = createWalletCipher(masterKey)
  const wallets = new Map<string, PrivateKeyAccount>()

  return {
    async authenticate(text, scope) {
      if (text === undefined) throw unauthorized('api_key_missing', 'Api Key is required in header')
      const caller = await store.apiKey({ hash: hashApiKey(text) })
      if (caller === undefined || caller.key.revokedAt !== undefined)
        throw unauthorized('api_key_invalid', 'Invalid Api Key')
      const { scopes } = caller.key
      if (scope !== undefined && !scopes.includes(scope) && !scopes.includes('admin'))
        throw unauthorized('api_key_scope', `The Api Key does not have the scope ${scope}`)
      return caller
    },

    async create(name, terms) {
      const privateKey = generatePrivateKey()
      const walletAddress = privateKeyToAccount(privateKey).address
      const encryptedKey = cipher.encrypt(privateKey, walletAddress)
      const tenant = { id: newId(), name, walletAddress, encryptedKey, createdAt: now() }
      await store.addTenant({ tenant, audit: byOperator('tenant.add', tenant.id, tenant.id) })
      return addKey(tenant, terms)
    },

    async rotate(keyId) {
      const { key, tenant } = await find(keyId)
      const made = await addKey(tenant, key)
      if (key.revokedAt === undefined) await revoke(key)
      return made
    },

    async revoke(keyId) {
      const { key } = await find(keyId)
      await revoke(key)
    },

    async list() {
      const [tenants, keys] = await Promise.all([
        store.tenants(undefined),
        store.apiKeys({ tenantId: undefined }),
      ])
      return tenants.map((tenant) => ({
        tenant,
        keys: keys.filter(({ tenantId }) => tenantId === tenant.id),
      }))
    },

    wallet(tenant) {
      const known = wallets.get(tenant.id)
      if (known !== undefined) return known
      const wallet = privateKeyToAccount(walletKey(tenant))
      wallets.set(tenant.id, wallet)
      return wallet
    },

    walletKey,
  }

  function walletKey({ encryptedKey, walletAddress }: Tenant): Hex {
    return cipher.decrypt(encryptedKey, walletAddress)
  }

  async function addKey(tenant: Tenant, terms: KeyTerms): Promise<NewKey> {
    const { text, hash, hint } = createApiKey()
    const { scopes, creditsPerMonth, creditsPerSecond } = terms
    const key: ApiKey = {
      ...{ id: newId(), tenantId: tenant.id, hash, hint },
      ...{ scopes, creditsPerMonth, creditsPerSecond },
      ...{ createdAt: now(), revokedAt: undefined },
    }
    await store.addApiKey({ key, audit: byOperator('key.add', key.id, tenant.id) })
    return { text, key, tenant }
  }

  async function revoke(key: ApiKey): Promise<void> {
    const audit = byOperator('key.revoke', key.id, key.tenantId)
    if (await store.revokeApiKey({ id: key.id, at: now(), audit })) return
    throw new PaymasterError('unchanged', 'already_revoked', `The key ${key.id} is revoked already`)
  }

  async function find(keyId: string): Promise<{ key: ApiKey; tenant: Tenant }> {
    const [keys, tenants] = await Promise.all([
      store.apiKeys({ tenantId: undefined }),
      store.tenants(undefined),
    ])
    const key = keys.find(({ id }) => id === keyId)
    const tenant = tenants.find(({ id }) => id === key?.tenantId)
    if (key === undefined || tenant === undefined)
      throw new PaymasterError('not-found', 'key_not_found', `There is no key ${keyId}`)
    return { key, tenant }
  }

  function byOperator(action: string, subject: string, tenantId: string): AuditEntry {
    return { at: now(), tenantId, keyId: undefined, action, subject }
  }
}

/** 16 random hex digits: short enough to type, and no two of a million alike */
const newId = (): string => randomBytes(8).toString('hex')

const unauthorized = (reason: string, message: string): PaymasterError =>
  new PaymasterError('unauthorized', reason, message)
