import type { Address, Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import {
  type Deployment,
  type PaymasterPlan,
  paymasterDeployment,
} from '../../contracts/paymaster/deployment.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { NodeClient } from '../../types/ports/chain.ts'

/** A paymaster that the operator has on a chain, or may put there. */
export type OperatorPaymaster = { plan: PaymasterPlan; deployment: Deployment }

/**
 * The shared paymaster of 0.6, and where there are tokens one for them of each version: all of one owner, who also signs
 * for tokens and collects them.
 */
export function operatorPaymasters(options: {
  paymasterKey: Hex
  versions: readonly EntryPointVersion[]
  tokens: readonly unknown[]
}): readonly OperatorPaymaster[] {
  const { versions, tokens } = options
  const owner = privateKeyToAddress(options.paymasterKey)
  const shared: PaymasterPlan[] = versions.includes('0.6') ? [{ kind: 'sponsor', version: '0.6', owner }] : []
  const own = { owner, signer: owner, feeReceiver: owner }
  const ofTokens = tokens.length === 0 ? [] : versions
  const plans = [...shared, ...ofTokens.map((version): PaymasterPlan => ({ kind: 'token', version, ...own }))]
  return plans.map((plan) => ({ plan, deployment: paymasterDeployment(plan) }))
}

/** What a person calls it. */
export const nameOf = ({ plan }: OperatorPaymaster): string =>
  `${plan.kind === 'sponsor' ? 'shared sponsor' : plan.kind} paymaster of EntryPoint ${plan.version}`

/** Whether it is there. @throws Unavailable */
export async function isDeployed(address: Address, node: NodeClient): Promise<boolean> {
  return (await node.request<Hex>('eth_getCode', [address, 'latest'])) !== '0x'
}
