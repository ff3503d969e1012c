import { encodeFunctionData, type Hash, type Hex, parseAbi } from 'viem'
import type { BlockRef } from '../../types/block.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { Payer } from './payer.ts'

const sponsorAbi = parseAbi([
  'function balanceOf(address sponsor) view returns (uint256)',
  'function isWhitelisted(address sponsor, address account) view returns (bool)',
])

/** wei that the payer has for operations: at the EntryPoint, or as a sponsor of the shared paymaster. @throws Unavailable */
export type DepositReader = (payer: Payer, version: EntryPointVersion, at: BlockRef) => Promise<bigint>

/** On one block, each deposit is asked for once, however many operations it is to pay for. */
export function createDepositReader({ node }: { node: Pick<NodeClient, 'requestAt'> }): DepositReader {
  let block: Hash | undefined
  let known = new Map<string, Promise<bigint>>()

  return ({ kind, paymaster, tenant }, version, at) => {
    if (block !== at.hash) {
      block = at.hash
      known = new Map()
    }
    const deposits = known
    const [to, account] =
      kind === 'sponsor' ? [paymaster, tenant.walletAddress] : [entryPoints[version].address, paymaster]
    const name = `${to} ${account}`
    const asked = deposits.get(name) ?? read(to, account, at)
    deposits.set(name, asked)
    // What failed is asked again.
    asked.catch(() => deposits.delete(name))
    return asked
  }

  async function read(to: Hex, account: Hex, at: BlockRef): Promise<bigint> {
    return BigInt(await node.requestAt<Hex>('eth_call', [{ to, data: balanceOf(account) }], at))
  }
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
