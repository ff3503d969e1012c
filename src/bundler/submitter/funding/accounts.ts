import { privateKeyToAddress } from 'viem/accounts'
import type { OpenBundle, RelayersReport, SubmitterChain } from '../../../types/ports/submitter.ts'
import { type ChainModules, type ChainSubmitter, openChain } from '../chain-submitter.ts'
import { relayingByNodes, senderByNodes } from '../senders/by-nodes.ts'
import { openFunder } from './funder.ts'

/** The relayers of a chain, and the account that tops them up if there is one. */
export type FundedRelayers = Omit<ChainSubmitter, 'report' | 'reportAll' | 'open' | 'adopt'> & {
  report(): Omit<RelayersReport, 'wallets'>
}

/** @throws Unavailable when the node cannot be asked; then it may be opened again */
export async function openFundedRelayers(
  { chain, journal }: { chain: SubmitterChain; journal: readonly OpenBundle[] },
  modules: ChainModules,
): Promise<FundedRelayers> {
  const { funding } = chain
  if (funding === undefined) {
    const relayers = await openChain({ chain, journal }, modules)
    return { ...relayers, report: () => ({ relayers: relayers.report(), funding: undefined }) }
  }
  const account = privateKeyToAddress(funding.key)
  const [topUps, bundles] = [journal.filter(isTopUp), journal.filter((bundle) => !isTopUp(bundle))]
  const relayers = await openChain({ chain, journal: bundles }, modules)
  const funder = await openFunder(
    { chain: { ...chain, relaying: relayingByNodes(chain) }, funding, journal: topUps },
    { ...modules, sender: senderByNodes(chain, modules), relayers: relayers.views },
  ).catch((error) => {
    relayers.close()
    throw error
  })
  return {
    ...relayers,
    async onHead(argument) {
      await relayers.onHead(argument)
      await funder.onHead(argument)
    },
    report: () => ({ relayers: relayers.report(), funding: funder.report() }),
    close() {
      relayers.close()
      funder.close()
    },
  }

  function isTopUp({ transactions }: OpenBundle): boolean {
    return transactions.some(({ relayer }) => relayer === account)
  }
}
