import type { ChainSettings } from '../config/schemas/chain.ts'
import type { SimulationSettings } from '../config/schemas/commands.ts'
import type { DetectedEvm } from '../validation/local/detect-evm.ts'
import type { SimulatorChain } from '../validation/simulator-host.ts'

/** What a simulator is told of a chain. */
export function simulatorChainOf(
  settings: SimulationSettings & Pick<ChainSettings, 'validationCrossCheck'> & { chainId: number },
  evm: DetectedEvm,
): SimulatorChain {
  const { chainId, rpcUrl, nodeTimeout, maxNodeLag, minStake, minUnstakeDelay } = settings
  const { validationEngine, lowestValidation, validationCrossCheck } = settings
  const { ownPrecompiles, ownOpcodes } = settings
  return {
    ...{ chainId, nodeUrls: rpcUrl, timeoutMs: nodeTimeout, maxLag: maxNodeLag, minStake, minUnstakeDelay },
    ...{ validationEngine, lowestValidation, validationCrossCheck },
    ...evm,
    ...{ ownPrecompiles, ownOpcodes },
  }
}
