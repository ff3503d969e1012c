import type { Address, Hash } from 'viem'
import type { BlockRef } from '../block.ts'

/** What can happen on chain at most once: a nonce of a sender, paid by one paymaster. */
export type SponsorshipKey = { chainId: number; paymaster: Address; sender: Address; nonce: bigint }

/**
 * One signature that we gave. Until the nonce is used, any of those given for it may be the one that is bundled.
 * `native` (wei) is the most that the operation can cost, `usd` (10⁻⁸ US dollars) the same at the price of that moment.
 */
export type Claim = {
  userOpHash: Hash
  tenantId: string
  /** `undefined`: sponsored without a policy (by the tenant's whitelist, or paid in a token). */
  policyId: number | undefined
  native: bigint
  usd: bigint
  /** s since 1970, until which the EntryPoint takes the signature */
  validUntil: number
}

/** An operation that was signed for: promised, then paid on chain. Forgotten when neither can change any more. */
export type Sponsorship = SponsorshipKey & {
  /** The newest last; at least one. */
  claims: readonly Claim[]
  /** Where it was paid, and what it really cost (wei). */
  settled: { userOpHash: Hash; native: bigint; block: BlockRef } | undefined
}
