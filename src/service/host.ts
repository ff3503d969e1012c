import type { Log } from '../base/log.ts'
import type { Bundler } from '../bundler/bundler.ts'
import type { StorePort } from '../types/ports/store.ts'
import type { BundleEvent, SubmitterHost } from '../types/ports/submitter.ts'
import { isWalletId } from '../types/wallet-id.ts'

/** Hears what became of wallets' transactions, by chain. */
export type WalletEars = ReadonlyMap<number, (event: BundleEvent) => void>

/**
 * What the submitter's thread asks of this one: the journal is the store's, events belong to a chain's bundler, those
 * of tenants' wallets to its paymaster.
 */
export function hostFor(
  { bundlers, wallets }: { bundlers: ReadonlyMap<number, Bundler>; wallets: WalletEars },
  store: StorePort,
  log: Log,
): SubmitterHost {
  const bundlerOf = (chainId: number): Bundler | undefined => {
    const bundler = bundlers.get(chainId)
    if (bundler === undefined) log.error('event of a chain that is not served', { chain: chainId })
    return bundler
  }
  return {
    journal: store.journal,
    settle: store.settleBundle,
    async bundleEvent(event) {
      if (isWalletId(event.bundleId)) wallets.get(event.chainId)?.(event)
      else bundlerOf(event.chainId)?.onBundle(event)
    },
    async relayersChanged({ chainId, relayers }) {
      bundlerOf(chainId)?.onRelayers(relayers)
    },
    async fundingChanged({ chainId, funding }) {
      bundlerOf(chainId)?.onFunding(funding)
    },
  }
}
