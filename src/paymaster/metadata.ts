import type { Hex } from 'viem'
import type { NodeClient } from '../types/ports/chain.ts'
import type { PaymasterPort } from '../types/ports/paymaster.ts'
import type { Deployments } from './deployments.ts'
import type { PaymasterSettings } from './settings.ts'
import { notDeployed } from './sponsor/payer.ts'

/** From 0.7 on the metadata are those of the tenant's own paymaster. @throws PaymasterError where it has none */
export function createMetadata(
  { chainId, tokens, tokenPaymasters }: PaymasterSettings,
  modules: {
    node: NodeClient
    deployments: Deployments
    /** All chains that are served now. */
    chainsSupported: () => readonly number[]
  },
): PaymasterPort['metadata'] {
  return async ({ tenant: { id, walletAddress } }, version) => {
    if (version !== '0.6' && (await modules.deployments.find(id, chainId, version)) === undefined)
      throw notDeployed()
    const balance = await modules.node.request<Hex>('eth_getBalance', [walletAddress, 'latest'])
    const paymaster = tokenPaymasters[version]
    const bySymbol = paymaster === undefined ? [] : tokens.map(({ symbol }) => [symbol, paymaster] as const)
    return {
      sponsorAddress: walletAddress,
      sponsorWalletBalance: BigInt(balance),
      chainsSupported: modules.chainsSupported(),
      tokenPaymasters: { [chainId]: Object.fromEntries(bySymbol) },
    }
  }
}
