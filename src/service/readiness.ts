import { describe } from '../base/errors.ts'
import type { ChainInspector, ServiceReadiness } from '../types/ports/operator.ts'
import type { StorePort } from '../types/ports/store.ts'

/** What is missing before every chain is served: told of the whole, and of each chain by itself. */
export function readinessOf({
  inspectors,
  store,
  isStarting,
}: {
  inspectors: ReadonlyMap<number, ChainInspector>
  store: Pick<StorePort, 'ping'>
  isStarting: () => boolean
}): () => Promise<ServiceReadiness> {
  return async () => {
    const chains = [...inspectors].map(([chainId, chain]) => ({ chainId, ...chain.readiness() }))
    const own: string[] = []
    if (isStarting()) own.push('start is not complete')
    await store.ping(undefined).catch((error) => own.push(`a working store: ${describe(error)}`))
    const ofChains = chains.flatMap((chain) => chain.missing.map((what) => `chain ${chain.chainId}: ${what}`))
    const missing = [...ofChains, ...own]
    return { ready: missing.length === 0, missing, own, chains }
  }
}
