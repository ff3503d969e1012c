import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { DepositInfo } from '../types/entity.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { NodeClient, ReadAt } from '../types/ports/chain.ts'

const functionName = 'getDepositInfo'

/** What the EntryPoint of `version` says of `account`. @throws Unavailable, NodeError */
export async function readDepositInfo(
  account: Address,
  version: EntryPointVersion,
  { node, at }: { node: NodeClient; at: ReadAt },
): Promise<DepositInfo> {
  const { abi, address: to } = entryPoints[version]
  const data = encodeFunctionData({ abi, functionName, args: [account] })
  const result = await node.requestAt<Hex>('eth_call', [{ to, data }], at)
  const { deposit, stake, staked, unstakeDelaySec } = decodeFunctionResult({
    abi,
    functionName,
    data: result,
  }) as {
    deposit: bigint
    stake: bigint
    staked: boolean
    unstakeDelaySec: number
  }
  return { deposit, stake, isLocked: staked, unstakeDelaySec }
}
