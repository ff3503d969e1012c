import type { OpenBundle, RelayersReport, SubmitterChain } from '../../types/ports/submitter.ts'
import { isWalletId } from '../../types/wallet-id.ts'
import type { ChainModules } from './chain-submitter.ts'
import { type FundedRelayers, openFundedRelayers } from './funding/accounts.ts'
import { openWallets, type Wallets } from './wallets/wallets.ts'

/** All that sends transactions on a chain: relayers, the account that tops them up, tenants' wallets. */
export type ChainAccounts = Omit<FundedRelayers, 'report'> & {
  wallets: Pick<Wallets, 'open' | 'send'>
  report(): Promise<RelayersReport>
}

/** @throws Unavailable when the node cannot be asked; then it may be opened again */
export async function openAccounts(
  { chain, journal }: { chain: SubmitterChain; journal: readonly OpenBundle[] },
  modules: ChainModules,
): Promise<ChainAccounts> {
  const isOfWallet = ({ bundleId }: OpenBundle) => isWalletId(bundleId)
  const others = journal.filter((bundle) => !isOfWallet(bundle))
  const relayers = await openFundedRelayers({ chain, journal: others }, modules)
  const wallets = await openWallets({ chain, journal: journal.filter(isOfWallet) }, modules).catch(
    (error) => {
      relayers.close()
      throw error
    },
  )
  return {
    ...relayers,
    wallets,
    async onHead(argument) {
      await Promise.all([relayers.onHead(argument), wallets.onHead(argument)])
    },
    report: async () => ({ ...relayers.report(), wallets: await wallets.report() }),
    close() {
      relayers.close()
      wallets.close()
    },
  }
}
