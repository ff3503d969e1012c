import { createWalletClient, custom, type Hex, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { NodeClient } from '../../types/ports/chain.ts'

/** ms between looks for a transaction */
const pollingInterval = 500

/** Signs with the operator's key and asks the nodes of a chain, with their fail-over. */
export function operatorClient(key: Hex, node: NodeClient) {
  return createWalletClient({
    account: privateKeyToAccount(key),
    transport: custom(
      { request: ({ method, params }) => node.request(method, params ?? []) },
      { retryCount: 0 },
    ),
    pollingInterval,
  }).extend(publicActions)
}

export type OperatorClient = ReturnType<typeof operatorClient>
