import type { Address } from 'viem'
import type { Log } from '../../base/log.ts'
import type { ChainSettings } from '../../config/schemas/chain.ts'
import type { PaymasterSettings } from '../../paymaster/settings.ts'
import type { WalletSettings } from '../../paymaster/wallet/settings.ts'
import type { BlockRef } from '../../types/block.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import { type OperatorPaymaster, operatorPaymasters } from './operators.ts'
import { deployedSince } from './since.ts'

/** `head`: the newest block now. */
export type ChainPaymasterSettings = ChainSettings & {
  chainId: number
  versions: readonly EntryPointVersion[]
  head: BlockRef
}

/** What the operator may have on the chain. */
export function plannedPaymasters({
  paymasterKey,
  versions,
  tokens,
}: ChainPaymasterSettings): readonly OperatorPaymaster[] {
  return paymasterKey === undefined ? [] : operatorPaymasters({ paymasterKey, versions, tokens })
}

export type OwnPaymasters = Pick<PaymasterSettings, 'sponsorPaymaster' | 'tokenPaymasters'>

/** The addresses of what stands there. */
export function ownPaymasters(present: readonly OperatorPaymaster[]): OwnPaymasters {
  const shared = present.find(({ plan }) => plan.kind === 'sponsor')
  const ofTokens = present.filter(({ plan }) => plan.kind === 'token')
  return {
    sponsorPaymaster: shared?.deployment.address,
    tokenPaymasters: Object.fromEntries(
      ofTokens.map(({ plan, deployment }) => [plan.version, deployment.address]),
    ),
  }
}

/** 1e6 is all of the cost, a basis point 100 */
const wholeMarkup = 1_000_000

export function paymasterSettings(
  settings: ChainPaymasterSettings,
): Omit<PaymasterSettings, 'sponsorPaymaster' | 'tokenPaymasters'> {
  const { chainId, versions, sponsorName, sponsorIcon, tokens, tokenMarkup, nativePrice } = settings
  if (nativePrice === undefined) throw new Error(`chain ${chainId}: nativePrice is missing`)
  const sponsor = { name: sponsorName, icon: sponsorIcon }
  return { chainId, versions, sponsor, tokens, priceMarkup: wholeMarkup + 100 * tokenMarkup, nativePrice }
}

/** @param newest number of a block in which the shared paymaster stands, if there is one */
export async function walletSettings(
  settings: ChainPaymasterSettings,
  { sponsorPaymaster, newest }: { sponsorPaymaster: Address | undefined; newest: number },
  modules: { node: NodeClient; log: Log },
): Promise<WalletSettings> {
  const { chainId, versions, reorgDepth, paymasterUnstakeDelay: unstakeDelay } = settings
  const since =
    settings.sponsorPaymasterSince ??
    (sponsorPaymaster === undefined ? 0 : await deployedSince(sponsorPaymaster, newest, modules))
  return { chainId, versions, sponsorPaymaster, sponsorPaymasterSince: since, unstakeDelay, reorgDepth }
}
