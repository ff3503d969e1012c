import type { Address } from 'viem'
import type { Caller } from '../../types/paymaster/tenant.ts'
import type { AuditEntry, PaymasterStorePort, WhitelistPlace } from '../../types/ports/paymaster-store.ts'
import { PaymasterError } from '../paymaster-error.ts'
import type { Policies } from '../policies/policies.ts'

/**
 * A tenant's lists of senders in the database: one of its own, and one for each of its policies.
 * Every call throws PaymasterError 404 for a policy that is unknown or another tenant's.
 */
export type Whitelists = {
  /**
   * From then on a policy sponsors only who is on its list.
   * @throws PaymasterError 409 when all of them are there already, 400 when the tenant has too many
   */
  add(caller: Caller, policyId: number | undefined, addresses: readonly Address[]): Promise<void>
  /** @throws PaymasterError 409 when none of them is there */
  remove(caller: Caller, policyId: number | undefined, addresses: readonly Address[]): Promise<void>
  has(caller: Caller, policyId: number | undefined, address: Address): Promise<boolean>
  list(caller: Caller, policyId: number | undefined): Promise<readonly Address[]>
}

/** Addresses on all the lists of a tenant: counting them costs the store some ms. */
export const mostWhitelisted = 500_000

export const alreadyAdded = (): PaymasterError =>
  new PaymasterError('unchanged', 'already_whitelisted', 'Addresses were already added')
export const notWhitelisted = (): PaymasterError =>
  new PaymasterError('unchanged', 'not_whitelisted', 'Addresses sent were not whitelisted')

const tooMany = (): PaymasterError =>
  new PaymasterError(
    'refused',
    'too_many_whitelisted',
    `The whitelists of a tenant may have at most ${mostWhitelisted} addresses`,
  )

export function createWhitelists({
  store,
  policies,
  now,
}: {
  store: PaymasterStorePort
  policies: Pick<Policies, 'get' | 'update'>
  now: () => number
}): Whitelists {
  return {
    async add(caller, policyId, addresses) {
      const place = placeOf(caller, policyId)
      const size = await store.whitelistSize({ tenantId: caller.tenant.id })
      if (size + addresses.length > mostWhitelisted) throw tooMany()
      // First the policy, so that nobody is sponsored by it between the two who should not be.
      const takeBack = await apply(caller, policyId)
      const audit = entry(caller, 'whitelist.add', place, addresses)
      if ((await store.addToWhitelist({ place, addresses, audit })) > 0) return
      await takeBack()
      throw alreadyAdded()
    },
    async remove(caller, policyId, addresses) {
      const place = placeOf(caller, policyId)
      const audit = entry(caller, 'whitelist.remove', place, addresses)
      if ((await store.removeFromWhitelist({ place, addresses, audit })) === 0) throw notWhitelisted()
    },
    async has(caller, policyId, address) {
      return store.isWhitelisted({ place: placeOf(caller, policyId), address })
    },
    async list(caller, policyId) {
      return store.whitelist({ place: placeOf(caller, policyId) })
    },
  }

  /** From now on the list decides. Gives what makes that undone, if it was done. */
  async function apply(caller: Caller, policyId: number | undefined): Promise<() => Promise<unknown>> {
    if (policyId === undefined || policies.get(caller, policyId).whitelistApplicable) return async () => {}
    await policies.update(caller, policyId, { whitelistApplicable: true })
    return () => policies.update(caller, policyId, { whitelistApplicable: false })
  }

  function placeOf(caller: Caller, policyId: number | undefined): WhitelistPlace {
    if (policyId !== undefined) policies.get(caller, policyId)
    return { tenantId: caller.tenant.id, policyId }
  }

  function entry(
    { tenant, key }: Caller,
    action: string,
    { policyId }: WhitelistPlace,
    addresses: readonly Address[],
  ): AuditEntry {
    const [first = ''] = addresses
    const who = addresses.length === 1 ? first : `${first} and ${addresses.length - 1} more`
    const subject = policyId === undefined ? who : `policy ${policyId}: ${who}`
    return { at: now(), tenantId: tenant.id, keyId: key.id, action, subject }
  }
}
