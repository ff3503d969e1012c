import type { Hash, Hex } from 'viem'
import type { Context } from '../../base/context.ts'
import { createNodeClient, detectChainId } from '../../chain/client.ts'
import type { ExplainConfiguration } from '../../config/load.ts'
import { withPreset } from '../../config/with-preset.ts'
import type { Explanation } from '../../types/explanation.ts'
import type { UserOperation } from '../../types/userop.ts'
import { createSimulatorHost } from '../../validation/simulator-host.ts'
import { deployedVersions, servedVersions } from '../entrypoints.ts'
import { evmOf } from '../evm-of.ts'
import { simulatorChainOf } from '../simulator-chain.ts'
import { readOperation } from './read-operation.ts'

export type ExplainedOperation = {
  op: UserOperation
  chainId: number
  block: number
  explanation: Explanation
}

/**
 * Explains the operation in `json` on the newest block of a chain.
 * @throws InvalidParams for what is no operation; Unavailable; ChainError
 */
export async function explainOnChain(
  { json, configured }: { json: unknown; configured: ExplainConfiguration['chains'][number] },
  context: Context,
): Promise<ExplainedOperation> {
  const { rpcUrl: urls, nodeTimeout: timeoutMs } = configured
  const chainId = configured.chainId ?? (await detectChainId(urls, { timeoutMs }))
  const settings = { ...withPreset(configured, chainId), chainId, validationCrossCheck: 0 }
  const node = createNodeClient({ chainId, urls, timeoutMs }, context)
  try {
    const op = readOperation(json, servedVersions(settings, await deployedVersions(node)))
    const latest = await node.request<{ number: Hex; hash: Hash; timestamp: Hex }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    const block = { number: Number(latest.number), hash: latest.hash, timestamp: Number(latest.timestamp) }
    const simulator = createSimulatorHost(context)
    await simulator.open(simulatorChainOf(settings, await evmOf(settings, node)))
    const job = { chainId, op, block, nonceSequence: undefined, stateOverrides: undefined }
    return { op, chainId, block: block.number, explanation: await simulator.explain(job) }
  } finally {
    await node.close()
  }
}
