import { getAddress } from 'viem'
import { KeyedMutex } from '../../base/queue.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Policy } from '../../types/paymaster/policy.ts'
import type { Caller } from '../../types/paymaster/tenant.ts'
import type { AuditEntry, PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import { PaymasterError } from '../paymaster-error.ts'
import { requireOwnWallet } from '../tenants/own-wallet.ts'
import type { PolicyBook } from './choose.ts'
import { isInTime } from './enforce.ts'
import { policyNotFound } from './policy-not-found.ts'
import { type PolicyInput, readPolicy } from './wire.ts'

/** Policies of a tenant: they are all kept in memory, and a thousand is what a large sponsor has. */
export const mostPolicies = 5_000
/** Addresses on the allow and block lists of all of them, some 60 bytes each: longer lists are for whitelists. */
export const mostOnLists = 200_000

/** Which of a tenant's policies: all of them, or those in force on a chain or for a version. */
export type PolicyFilter = {
  chainId?: number
  version?: EntryPointVersion
  /** Only those that are enabled and in time; a filter by chain or version means that too. */
  inForce?: boolean
}

/** A tenant's policies, and nobody else's. Every change is stored, with who made it, before it counts. */
export type Policies = PolicyBook & {
  /** Newest first. */
  list(caller: Caller, filter: PolicyFilter): readonly Policy[]
  /** @throws PaymasterError 404 for an id that is unknown or another tenant's */
  get(caller: Caller, id: number): Policy
  /** @throws PaymasterError 400 naming the field or the limit, 403 for another's walletAddress */
  add(caller: Caller, input: PolicyInput): Promise<Policy>
  /** @throws PaymasterError as `get` and `add` */
  update(caller: Caller, id: number, input: PolicyInput): Promise<Policy>
  /** @throws PaymasterError 404 */
  remove(caller: Caller, id: number): Promise<void>
  /** @throws PaymasterError 404, 409 when it is so already */
  setEnabled(caller: Caller, id: number, isEnabled: boolean): Promise<void>
}

/** With all that the store holds. */
export async function loadPolicies({
  store,
  now,
}: {
  store: PaymasterStorePort
  now: () => number
}): Promise<Policies> {
  const stored = await store.policies(undefined)
  let highestId = stored.highestId
  const byId = new Map(stored.policies.map((policy) => [policy.id, policy]))
  const byTenant = new Map<string, readonly Policy[]>()
  for (const policy of stored.policies.toReversed()) place(policy)
  const changing = new KeyedMutex()

  return {
    byId: (id) => byId.get(id),
    ofTenant,

    list({ tenant }, { chainId, version, inForce = chainId !== undefined || version !== undefined }) {
      return ofTenant(tenant.id).filter(
        (policy) =>
          (!inForce || (policy.isEnabled && isInTime(policy, now()))) &&
          (chainId === undefined ||
            policy.isApplicableToAllNetworks ||
            policy.enabledChains.includes(chainId)) &&
          (version === undefined || policy.versions.includes(version)),
      )
    },

    get: own,

    async add(caller, input) {
      requireOwn(caller, input)
      const draft = readPolicy(input)
      const others = ofTenant(caller.tenant.id)
      if (others.length >= mostPolicies)
        throw tooMany('policies', `A tenant may have at most ${mostPolicies} sponsorship policies`)
      requireRoom([...others, draft])
      highestId += 1
      const at = now()
      const policy = { ...draft, id: highestId, tenantId: caller.tenant.id, createdAt: at, updatedAt: at }
      await store.putPolicy({ policy, audit: entry(caller, 'policy.add', policy.id) })
      place(policy)
      return policy
    },

    update(caller, id, input) {
      return changing.run(String(id), async () => {
        const existing = own(caller, id)
        requireOwn(caller, input)
        const changed = { ...existing, ...readPolicy(input, existing) }
        requireRoom([...ofTenant(caller.tenant.id).filter((other) => other.id !== id), changed])
        return replace(caller, changed, 'policy.update')
      })
    },

    remove(caller, id) {
      return changing.run(String(id), async () => {
        const policy = own(caller, id)
        await store.deletePolicy({ id, audit: entry(caller, 'policy.delete', id) })
        byId.delete(id)
        byTenant.set(
          policy.tenantId,
          ofTenant(policy.tenantId).filter((other) => other.id !== id),
        )
      })
    },

    async setEnabled(caller, id, isEnabled) {
      await changing.run(String(id), async () => {
        const existing = own(caller, id)
        const word = isEnabled ? 'enabled' : 'disabled'
        if (existing.isEnabled === isEnabled)
          throw new PaymasterError('unchanged', `already_${word}`, `Policy with id ${id} is already ${word}`)
        await replace(caller, { ...existing, isEnabled }, isEnabled ? 'policy.enable' : 'policy.disable')
      })
    },
  }

  function ofTenant(tenantId: string): readonly Policy[] {
    return byTenant.get(tenantId) ?? []
  }

  function own(caller: Caller, id: number): Policy {
    const policy = byId.get(id)
    if (policy?.tenantId !== caller.tenant.id) throw policyNotFound()
    return policy
  }

  async function replace(caller: Caller, changed: Policy, action: string): Promise<Policy> {
    const policy = { ...changed, updatedAt: now() }
    await store.putPolicy({ policy, audit: entry(caller, action, policy.id) })
    place(policy)
    return policy
  }

  /** Newest first: a new one comes first, a changed one keeps its place. */
  function place(policy: Policy): void {
    const others = ofTenant(policy.tenantId)
    byTenant.set(
      policy.tenantId,
      others.some(({ id }) => id === policy.id)
        ? others.map((other) => (other.id === policy.id ? policy : other))
        : [policy, ...others],
    )
    byId.set(policy.id, policy)
  }

  function entry({ tenant, key }: Caller, action: string, id: number): AuditEntry {
    return { at: now(), tenantId: tenant.id, keyId: key.id, action, subject: String(id) }
  }
}

function requireRoom(policies: readonly Pick<Policy, 'allowList' | 'blockList'>[]): void {
  const listed = policies.map(({ allowList = [], blockList = [] }) => allowList.length + blockList.length)
  if (listed.reduce((sum, count) => sum + count, 0) > mostOnLists)
    throw tooMany(
      'listed_addresses',
      `The policies of a tenant may have at most ${mostOnLists} addresses on their lists: use a whitelist`,
    )
}

const tooMany = (of: string, message: string): PaymasterError =>
  new PaymasterError('refused', `too_many_${of}`, message)

function requireOwn(caller: Caller, { walletAddress }: PolicyInput): void {
  if (walletAddress !== undefined && walletAddress !== null)
    requireOwnWallet(getAddress(walletAddress), caller)
}
