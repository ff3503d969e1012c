import type { Context } from '../base/context.ts'
import { createNodeClient } from '../chain/client.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { SimulatorPort } from '../types/ports/simulator.ts'
import { createNodeEngine } from './node-engine.ts'

/** What a simulator needs of a chain. */
export type SimulatorChain = {
  chainId: number
  nodeUrls: readonly string[]
  /** ms that a node has for an answer */
  timeoutMs: number
  /** ms that a node may be behind the others before it is left out */
  maxLag: number
}

/** What a simulator thread serves. */
export type SimulatorHandlers = SimulatorPort & { open(chain: SimulatorChain): void }

/** The engine and its own connections to the nodes of each chain. */
export function createSimulatorHost(context: Context): SimulatorHandlers {
  const nodes = new Map<number, NodeClient>()
  return {
    ...createNodeEngine({ nodes }),
    open({ nodeUrls: urls, ...chain }) {
      nodes.set(chain.chainId, createNodeClient({ ...chain, urls }, context))
    },
  }
}
