import type { Address, Hash, Hex } from 'viem'
import type { BlockRef } from '../block.ts'
import type { EntryPointVersion } from '../entrypoint-version.ts'
import type { Policy, Spent } from '../paymaster/policy.ts'
import type { Sponsorship, SponsorshipKey } from '../paymaster/sponsorship.ts'
import type { ApiKey, Tenant } from '../paymaster/tenant.ts'

/** Who changed what; stored in the same commit as the change. */
export type AuditEntry = {
  /** ms since 1970 */
  at: number
  /** `undefined`: the operator, by the command line */
  tenantId: string | undefined
  keyId: string | undefined
  /** Such as `policy.add`; `subject` names the thing. */
  action: string
  subject: string
}

/** What the ledger did, stored in one commit; `position` is the block up to which payments are applied. */
export type LedgerWrite = {
  put: readonly Sponsorship[]
  remove: readonly SponsorshipKey[]
  /** In place of what is stored for the same policy and sender. */
  totals: readonly { policyId: number; sender: Address; spent: Spent }[]
  position?: { chainId: number; block: BlockRef }
}

/** A verifying paymaster that a tenant deployed. */
export type Deployment = {
  tenantId: string
  chainId: number
  version: EntryPointVersion
  address: Address
  transactionHash: Hash
}

/** Who is sponsored without further question: by a policy, or (`undefined`) outside of policies. */
export type WhitelistPlace = { tenantId: string; policyId: number | undefined }

/** What the command line changes beside a running service. */
export type TenantStorePort = Pick<
  PaymasterStorePort,
  'addTenant' | 'tenants' | 'addApiKey' | 'revokeApiKey' | 'apiKey' | 'apiKeys'
>

/** The paymaster's part of the store. Every write resolves after its commit, its audit entry with it. */
export type PaymasterStorePort = {
  addTenant(argument: { tenant: Tenant; audit: AuditEntry }): Promise<void>
  tenants(argument: undefined): Promise<readonly Tenant[]>
  addApiKey(argument: { key: ApiKey; audit: AuditEntry }): Promise<void>
  /** Resolves to false when there is no such key that is not revoked yet. */
  revokeApiKey(argument: { id: string; at: number; audit: AuditEntry }): Promise<boolean>
  /** By the hash of its text, revoked or not. */
  apiKey(argument: { hash: Hex }): Promise<{ key: ApiKey; tenant: Tenant } | undefined>
  apiKeys(argument: { tenantId: string | undefined }): Promise<readonly ApiKey[]>

  /** Writes a new policy, or a new version of one. */
  putPolicy(argument: { policy: Policy; audit: AuditEntry }): Promise<void>
  /** Its id is never given again. */
  deletePolicy(argument: { id: number; audit: AuditEntry }): Promise<void>
  /** Those that are not deleted, newest first, and the highest id that was ever given (0: none). */
  policies(argument: undefined): Promise<{ policies: readonly Policy[]; highestId: number }>

  /** @returns how many were not there before */
  addToWhitelist(argument: {
    place: WhitelistPlace
    addresses: readonly Address[]
    audit: AuditEntry
  }): Promise<number>
  /** @returns how many were there */
  removeFromWhitelist(argument: {
    place: WhitelistPlace
    addresses: readonly Address[]
    audit: AuditEntry
  }): Promise<number>
  isWhitelisted(argument: { place: WhitelistPlace; address: Address }): Promise<boolean>
  whitelist(argument: { place: WhitelistPlace }): Promise<readonly Address[]>
  /** Addresses on all the lists of a tenant. */
  whitelistSize(argument: { tenantId: string }): Promise<number>

  /** @throws when there is one for this tenant, chain and version already */
  addDeployment(argument: { deployment: Deployment; audit: AuditEntry }): Promise<void>
  deployments(argument: undefined): Promise<readonly Deployment[]>

  saveLedger(write: LedgerWrite): Promise<void>
  sponsorships(argument: undefined): Promise<readonly Sponsorship[]>
  totals(argument: undefined): Promise<readonly { policyId: number; sender: Address; spent: Spent }[]>
  ledgerPosition(argument: { chainId: number }): Promise<BlockRef | undefined>

  /** Senders that left an operation unpaid; who is there already stays. */
  addDebtors(argument: { chainId: number; senders: readonly Address[] }): Promise<void>
  /** The newest, the oldest of them first. */
  debtors(argument: { chainId: number; limit: number }): Promise<readonly Address[]>

  /** What each key has spent in a month (`2026-11`); replaces what is stored. */
  saveCredits(argument: readonly { keyId: string; month: string; spent: number }[]): Promise<void>
  credits(argument: { month: string }): Promise<readonly { keyId: string; spent: number }[]>

  audit(argument: { entry: AuditEntry }): Promise<void>
  /** Newest first. */
  auditLog(argument: { tenantId: string | undefined; limit: number }): Promise<readonly AuditEntry[]>
}
