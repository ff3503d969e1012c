import { privateKeyToAddress } from 'viem/accounts'
import type { OpenBundle, RelayersReport, Sender, SubmitterChain } from '../../../types/ports/submitter.ts'
import { type ChainModules, type ChainSubmitter, openChain } from '../chain-submitter.ts'
import { createClassicSender } from '../senders/classic.ts'
import { openFunder } from './funder.ts'

/** The relayers of a chain, and the account that tops them up if there is one. */
export type ChainAccounts = Omit<ChainSubmitter, 'report'> & { report(): RelayersReport }

/** @throws Unavailable when the node cannot be asked; then it may be opened again */
export async function openAccounts(
  { chain, journal }: { chain: SubmitterChain; journal: readonly OpenBundle[] },
  modules: ChainModules,
): Promise<ChainAccounts> {
  const { funding } = chain
  if (funding === undefined) {
    const relayers = await openChain({ chain, journal }, modules)
    return { ...relayers, report: () => ({ relayers: relayers.report(), funding: undefined }) }
  }
  const account = privateKeyToAddress(funding.key)
  const [topUps, bundles] = [journal.filter(isTopUp), journal.filter((bundle) => !isTopUp(bundle))]
  const relayers = await openChain({ chain, journal: bundles }, modules)
  const funder = await openFunder(
    { chain: { ...chain, relaying: toNodes(chain) }, funding, journal: topUps },
    { ...modules, sender: senderFor(chain, modules), relayers: relayers.views },
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

/** Relays are for bundles: a transfer of coins needs no privacy, and some of them take nothing else. */
function senderFor({ relaying }: SubmitterChain, { sender, node }: ChainModules): Sender {
  return relaying.mode === 'classic' ? sender : createClassicSender({ node })
}

function toNodes({ relaying }: SubmitterChain): SubmitterChain['relaying'] {
  return relaying.mode === 'classic'
    ? relaying
    : { mode: 'classic', submitUrl: undefined, conditional: false }
}
