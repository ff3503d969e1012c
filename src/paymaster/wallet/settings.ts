import type { Address } from 'viem'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'

/** What the tenants' wallets on one chain have to do with. */
export type WalletSettings = {
  chainId: number
  /** EntryPoints that the chain has. */
  versions: readonly EntryPointVersion[]
  /** The operator's shared paymaster, of EntryPoint 0.6. */
  sponsorPaymaster: Address | undefined
  /** A block before which the shared paymaster has no events: where its whitelists are read from. */
  sponsorPaymasterSince: number
  /** s between unlocking a stake and withdrawing it */
  unstakeDelay: number
  /** Blocks after which what was read is taken for good. */
  reorgDepth: number
}
