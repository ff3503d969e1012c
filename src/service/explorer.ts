import type { Address } from 'viem'
import type { Context } from '../base/context.ts'
import { createExplorerClient, etherscanUrl } from '../chain/explorer/client.ts'
import { createExplorerFees } from '../chain/explorer/fees.ts'
import { createExplorerHistory, type ExplorerHistory } from '../chain/explorer/history.ts'
import type { ChainSettings } from '../config/schemas/chain.ts'
import type { FeeOracle, NodeClient } from '../types/ports/chain.ts'

/** What a chain's explorer adds to its nodes. */
export type Explorer = {
  feesWith(fees: FeeOracle): FeeOracle
  history: ExplorerHistory
  close(): void
}

/** `undefined` when none is configured. */
export function openExplorer(
  { explorerApiKey, explorerUrl }: Pick<ChainSettings, 'explorerApiKey' | 'explorerUrl'>,
  modules: Context & {
    chainId: number
    entryPoints: readonly Address[]
    node: NodeClient
    now: () => number
  },
): Explorer | undefined {
  if (explorerApiKey === undefined && explorerUrl === undefined) return undefined
  const { chainId, entryPoints, node, now, ...context } = modules
  const access = { url: explorerUrl ?? etherscanUrl, key: explorerApiKey }
  const explorer = createExplorerClient({ ...access, chainId, now }, context)
  return {
    feesWith: (fees) => createExplorerFees({ now }, { fees, explorer }),
    history: createExplorerHistory({ entryPoints, now }, { log: context.log, explorer, node }),
    close: explorer.close,
  }
}
