import type { ChainSettings } from '../config/schemas/chain.ts'
import type { SimulationSettings } from '../config/schemas/commands.ts'
import type { SimulatorChain } from '../validation/simulator-host.ts'

/** What a simulator is told of a chain. */
export function simulatorChainOf(
  settings: SimulationSettings & Pick<ChainSettings, 'validationCrossCheck'> & { chainId: number },
): SimulatorChain {
  const { chainId, rpcUrl, nodeTimeout, maxNodeLag, minStake, minUnstakeDelay } = settings
  const { validationEngine, lowestValidation, validationCrossCheck } = settings
  const { hardfork, p256Verify, ownPrecompiles, ownOpcodes } = settings
  return {
    ...{ chainId, nodeUrls: rpcUrl, timeoutMs: nodeTimeout, maxLag: maxNodeLag, minStake, minUnstakeDelay },
    ...{ validationEngine, lowestValidation, validationCrossCheck },
    ...{ hardfork, p256Verify, ownPrecompiles, ownOpcodes },
  }
}
