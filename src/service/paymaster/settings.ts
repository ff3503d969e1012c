import type { Address } from 'viem'
import type { Log } from '../../base/log.ts'
import type { ChainSettings } from '../../config/schemas/chain.ts'
import type { PaymasterSettings } from '../../paymaster/settings.ts'
import type { WalletSettings } from '../../paymaster/wallet/settings.ts'
import type { BlockRef } from '../../types/block.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import { isDeployed, nameOf, operatorPaymasters } from './operators.ts'
import { deployedSince } from './since.ts'

/** `head`: the newest block now. */
export type ChainPaymasterSettings = ChainSettings & {
  chainId: number
  versions: readonly EntryPointVersion[]
  head: BlockRef
}

/** What stands on the chain of what the operator has there. @throws Unavailable */
export async function ownPaymasters(
  { paymasterKey, versions, tokens }: ChainPaymasterSettings,
  { node, log }: { node: NodeClient; log: Log },
): Promise<Pick<PaymasterSettings, 'sponsorPaymaster' | 'tokenPaymasters'>> {
  const planned = paymasterKey === undefined ? [] : operatorPaymasters({ paymasterKey, versions, tokens })
  let sponsorPaymaster: Address | undefined
  const tokenPaymasters: Partial<Record<EntryPointVersion, Address>> = {}
  for (const paymaster of planned) {
    const { address } = paymaster.deployment
    if (!(await isDeployed(address, node)))
      log.warn('not deployed: run tandem paymaster deploy', { paymaster: nameOf(paymaster), address })
    else if (paymaster.plan.kind === 'sponsor') sponsorPaymaster = address
    else tokenPaymasters[paymaster.plan.version] = address
  }
  return { sponsorPaymaster, tokenPaymasters }
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

export async function walletSettings(
  settings: ChainPaymasterSettings,
  sponsorPaymaster: Address | undefined,
  modules: { node: NodeClient; log: Log },
): Promise<WalletSettings> {
  const { chainId, versions, head, reorgDepth, paymasterUnstakeDelay: unstakeDelay } = settings
  const since =
    settings.sponsorPaymasterSince ??
    (sponsorPaymaster === undefined ? 0 : await deployedSince(sponsorPaymaster, head.number, modules))
  return { chainId, versions, sponsorPaymaster, sponsorPaymasterSince: since, unstakeDelay, reorgDepth }
}
