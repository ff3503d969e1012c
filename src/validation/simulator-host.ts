import type { Context } from '../base/context.ts'
import { Unavailable } from '../base/errors.ts'
import { createNodeClient } from '../chain/client.ts'
import { type Crypto, loadCrypto } from '../evm/crypto/crypto.ts'
import type { StakeRequirement } from '../types/entity.ts'
import type { SimulatorPort } from '../types/ports/simulator.ts'
import type { ValidationEngine } from './engine.ts'
import { chainRulesOf, type EvmFacts } from './local/chain-rules.ts'
import { createLocalChain } from './local/local-chain.ts'
import { createLocalEngine } from './local/local-engine.ts'
import { createNodeEngine } from './node-engine.ts'
import { createChainState } from './state/chain-state.ts'
import { type CodeCache, createCodeCache } from './state/code-cache.ts'

/** What a simulator needs of a chain. */
export type SimulatorChain = EvmFacts &
  StakeRequirement & {
    chainId: number
    nodeUrls: readonly string[]
    /** ms that a node has for an answer */
    timeoutMs: number
    /** ms that a node may be behind the others before it is left out */
    maxLag: number
    validationEngine: 'local' | 'node'
    /** What only the node can judge may be judged without the rules of ERC-7562. */
    basicValidation: boolean
  }

/** What a simulator thread serves. */
export type SimulatorHandlers = SimulatorPort & { open(chain: SimulatorChain): void | Promise<void> }

/** bytes of code, and as much again for what is known of it; some 700 large contracts, or many small ones */
const codeBytes = 16_000_000

/** The engines and their own connections to the nodes of each chain. */
export function createSimulatorHost(context: Context): SimulatorHandlers {
  const engines = new Map<number, Promise<ValidationEngine>>()
  const codes = createCodeCache({ capacity: codeBytes })
  const crypto = loadCrypto()

  function engineOf(chainId: number): Promise<ValidationEngine> {
    const engine = engines.get(chainId)
    if (engine === undefined) throw new Unavailable(`chain ${chainId} is not open`)
    return engine
  }

  return {
    validate: async (job) => (await engineOf(job.chainId)).validate(job),
    estimate: async (job) => (await engineOf(job.chainId)).estimate(job),
    checkBundle: async (job) => (await engineOf(job.chainId)).checkBundle(job),
    async open(chain) {
      const engine = crypto.then((loaded) => openEngine(chain, { ...context, codes, crypto: loaded }))
      engines.set(chain.chainId, engine)
      await engine
    },
  }
}

function openEngine(
  chain: SimulatorChain,
  { log, metrics, codes, crypto }: Context & { codes: CodeCache; crypto: Crypto },
): ValidationEngine {
  const { nodeUrls: urls, chainId } = chain
  const node = createNodeClient({ ...chain, urls }, { log, metrics })
  const byNode = createNodeEngine({ nodes: new Map([[chainId, node]]) })
  if (chain.validationEngine === 'node') return byNode
  const keccak = crypto.keccak256
  const state = createChainState(chain, { log, metrics, node, codes, keccak, now: Date.now })
  const rules = chainRulesOf(chain, crypto)
  const local = createLocalChain({ node, state, rules, required: chain })
  return createLocalEngine(chain, { chain: local, byNode, metrics })
}
