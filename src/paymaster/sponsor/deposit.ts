import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { entryPoints } from '../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { NodeClient, ReadAt } from '../../types/ports/chain.ts'
import type { Payer } from './payer.ts'

const sponsorAbi = parseAbi([
  'function balanceOf(address sponsor) view returns (uint256)',
  'function isWhitelisted(address sponsor, address account) view returns (bool)',
])

/** wei that the payer has for operations: at the EntryPoint, or as a sponsor of the shared paymaster. @throws Unavailable */
export async function depositOf(
  { kind, paymaster, tenant }: Payer,
  version: EntryPointVersion,
  node: NodeClient,
  at: ReadAt,
): Promise<bigint> {
  const entryPoint = entryPoints[version]
  const call =
    kind === 'sponsor'
      ? { to: paymaster, data: balanceOf(tenant.walletAddress) }
      : { to: entryPoint.address, data: balanceOf(paymaster) }
  return BigInt(await node.requestAt<Hex>('eth_call', [call], at))
}

/** Whether the sponsor has the account on its list at the shared paymaster. @throws Unavailable */
export async function isWhitelistedOnChain(
  { paymaster, tenant }: Payer,
  account: Hex,
  node: NodeClient,
): Promise<boolean> {
  const args = [tenant.walletAddress, account] as const
  const data = encodeFunctionData({ abi: sponsorAbi, functionName: 'isWhitelisted', args })
  return BigInt(await node.requestAt<Hex>('eth_call', [{ to: paymaster, data }], 'latest')) === 1n
}

const balanceOf = (account: Hex): Hex =>
  encodeFunctionData({ abi: sponsorAbi, functionName: 'balanceOf', args: [account] })
