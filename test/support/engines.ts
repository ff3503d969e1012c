import {
  createSimulatorHost,
  type SimulatorChain,
  type SimulatorHandlers,
} from '../../src/validation/simulator-host.ts'
import { silentContext } from './simulation.ts'

/** What a simulator is told of a development chain. */
export function simulatorChain(
  { url, chainId }: { url: string; chainId: number },
  changes: Partial<SimulatorChain> = {},
): SimulatorChain {
  return {
    ...{ chainId, nodeUrls: [url], timeoutMs: 5000, maxLag: 10_000 },
    ...{ minStake: 10n ** 18n, minUnstakeDelay: 86_400 },
    ...{ validationEngine: 'local', lowestValidation: 'traced-by-node', validationCrossCheck: 0 },
    hardfork: 'prague',
    ...{ p256Verify: false, ownPrecompiles: [], ownOpcodes: false },
    ...changes,
  }
}

/** A simulator in this thread with one chain open. */
export async function openSimulator(
  chain: { url: string; chainId: number },
  changes: Partial<SimulatorChain> = {},
  context = silentContext(),
): Promise<SimulatorHandlers> {
  const host = createSimulatorHost(context)
  await host.open(simulatorChain(chain, changes))
  return host
}
