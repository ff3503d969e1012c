import type { Address } from 'viem'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Policy } from '../../types/paymaster/policy.ts'
import type { Tenant } from '../../types/paymaster/tenant.ts'
import type { SponsorRequest } from '../../types/ports/paymaster.ts'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { Deployments } from '../deployments.ts'
import { PaymasterError } from '../paymaster-error.ts'
import { choosePolicy, type PolicyBook } from '../policies/choose.ts'
import { policyNotFound } from '../policies/policy-not-found.ts'
import type { PaymasterSettings } from '../settings.ts'
import type { TokenSettings } from '../tokens/token.ts'
import type { Tokens } from '../tokens/tokens.ts'
import { unsupportedToken } from './context.ts'

/** The paymaster for an operation, and in whose name it pays. */
export type Payer = SponsorPayer | TokenPayer

/** `tenant` signs and pays: the caller, or the owner of the public policy that it named. */
export type SponsorPayer = {
  /** `sponsor` is the shared one of 0.6, `verifying` the tenant's own. */
  kind: 'sponsor' | 'verifying'
  paymaster: Address
  tenant: Tenant
  /** `undefined`: the tenant has none, its whitelist decides. */
  policy: Policy | undefined
}

/** The operator signs and pays, and is paid by the sender; `tenant` asked for it. */
export type TokenPayer = {
  kind: 'token'
  paymaster: Address
  tenant: Tenant
  token: TokenSettings
  price: 'signed' | 'feed'
}

/** @throws PaymasterError where nobody is there to pay */
export type PayerChoice = (request: SponsorRequest) => Promise<Payer>

export function createPayerChoice(
  settings: Pick<PaymasterSettings, 'chainId' | 'sponsorPaymaster' | 'tokenPaymasters'>,
  modules: {
    policies: PolicyBook
    deployments: Deployments
    tokens: Tokens
    store: Pick<PaymasterStorePort, 'tenants'>
  },
): PayerChoice {
  const { chainId, sponsorPaymaster } = settings
  /** Tenants never change; those whose public policies were named. */
  const owners = new Map<string, Tenant>()

  return async ({ caller: { tenant }, op: { version }, context, useVp }) => {
    if (context.mode !== 'sponsor') {
      const token =
        context.mode === 'erc20'
          ? modules.tokens.bySymbol(context.token)
          : modules.tokens.byAddress(context.token)
      const paymaster = settings.tokenPaymasters[version]
      if (token === undefined || paymaster === undefined) throw unsupportedToken()
      const price = context.mode === 'erc20' && token.onChainFeed ? 'feed' : 'signed'
      return { kind: 'token', paymaster, tenant, token, price }
    }
    const { policyId } = context
    if (!useVp && (version !== '0.6' || sponsorPaymaster === undefined)) throw noSharedPaymaster()
    const policy = choosePolicy({ tenantId: tenant.id, policyId, chainId, version }, modules.policies)
    const owner =
      policy === undefined || policy.tenantId === tenant.id ? tenant : await ownerOf(policy.tenantId)
    if (!useVp && sponsorPaymaster !== undefined)
      return { kind: 'sponsor', paymaster: sponsorPaymaster, tenant: owner, policy }
    return { kind: 'verifying', paymaster: await ownPaymaster(owner, version), tenant: owner, policy }
  }

  async function ownPaymaster(tenant: Tenant, version: EntryPointVersion): Promise<Address> {
    const deployment = await modules.deployments.find(tenant.id, chainId, version)
    if (deployment === undefined) throw notDeployed()
    return deployment.address
  }

  async function ownerOf(tenantId: string): Promise<Tenant> {
    if (!owners.has(tenantId))
      for (const tenant of await modules.store.tenants(undefined)) owners.set(tenant.id, tenant)
    const owner = owners.get(tenantId)
    if (owner === undefined) throw policyNotFound()
    return owner
  }
}

export const notDeployed = (): PaymasterError =>
  new PaymasterError('refused', 'paymaster_not_deployed', 'Paymaster not deployed', {
    details: 'Verifying paymaster not deployed',
  })

export const noSharedPaymaster = (): PaymasterError =>
  new PaymasterError(
    'invalid',
    'no_global_paymaster',
    'Please use useVP flag to use your deployed verifying paymaster as global paymaster is not defined',
  )
