import type { Context } from '../base/context.ts'
import { type Counted, createCountRelay } from '../base/count-relay.ts'
import { Unavailable } from '../base/errors.ts'
import { createStretches, createTurns } from '../base/turns.ts'
import { createNodeClient } from '../chain/client.ts'
import { requestUrls } from '../chain/node-url.ts'
import { type Crypto, loadCrypto } from '../evm/crypto/crypto.ts'
import type { StakeRequirement } from '../types/entity.ts'
import type { ValidateJob } from '../types/ports/simulator.ts'
import type { ValidationLevel, Verdict } from '../types/verdict.ts'
import type { ValidationEngine } from './engine.ts'
import { withLevel } from './level.ts'
import { chainRulesOf, type EvmFacts } from './local/chain-rules.ts'
import { createLocalChain, type LocalChain } from './local/local-chain.ts'
import { createLocalEngine } from './local/local-engine.ts'
import { rememberingSigners } from './local/remembered-signers.ts'
import { validateLocally } from './local/validate-locally.ts'
import { createNodeEngine } from './node-engine.ts'
import { createChainState } from './state/chain-state.ts'
import { type CodeCache, createCodeCache } from './state/code-cache.ts'
import { checkCodesAtNode } from './traced/check-codes-at-node.ts'
import { createNodeTracer } from './traced/node-tracer.ts'

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
    /** What is accepted with less scrutiny is not accepted. */
    lowestValidation: ValidationLevel
    /** The share of operations, 0 to 1, that the other engine judges too. */
    validationCrossCheck: number
  }

/** What a simulator thread serves. */
export type SimulatorHandlers = ValidationEngine & {
  open(chain: SimulatorChain): void | Promise<void>
  /** Says that the thread lives. */
  ping(argument: undefined): void
  /** What was counted since this was asked last. */
  counted(argument: undefined): Promise<Counted>
  /** What the engine says, with all rules, that does not judge on this chain. */
  secondOpinion(job: ValidateJob): Promise<Verdict>
}

/** bytes of code, and as much again for what is known of it; some 700 large contracts, or many small ones */
const codeBytes = 16_000_000

/** The engines and their own connections to the nodes of each chain. */
export function createSimulatorHost(context: Context): SimulatorHandlers {
  const engines = new Map<number, Promise<Engines>>()
  const codes = createCodeCache({ capacity: codeBytes })
  const crypto = loadCrypto().then(rememberingSigners)
  const turns = { ofTrials: createTurns(), ofJudgements: createStretches() }
  const counted = createCountRelay(context.metrics)

  function enginesOf(chainId: number): Promise<Engines> {
    const ofChain = engines.get(chainId)
    if (ofChain === undefined) throw new Unavailable(`chain ${chainId} is not open`)
    return ofChain
  }

  return {
    validate: async (job) => (await enginesOf(job.chainId)).judging.validate(job),
    rehearse: async (job) => (await enginesOf(job.chainId)).judging.rehearse(job),
    estimate: async (job) => (await enginesOf(job.chainId)).judging.estimate(job),
    explain: async (job) => (await enginesOf(job.chainId)).judging.explain(job),
    checkBundle: async (job) => (await enginesOf(job.chainId)).judging.checkBundle(job),
    secondOpinion: async (job) => (await enginesOf(job.chainId)).secondOpinion(job),
    ping() {},
    prepare: async (job) => (await enginesOf(job.chainId)).judging.prepare(job),
    counted,
    async open(chain) {
      const ofChain = crypto.then((loaded) =>
        openEngines(chain, { ...context, codes, crypto: loaded, turns }),
      )
      engines.set(chain.chainId, ofChain)
      await ofChain
    },
  }
}

type Engines = { judging: ValidationEngine; secondOpinion(job: ValidateJob): Promise<Verdict> }

function openEngines(
  chain: SimulatorChain,
  {
    log,
    metrics,
    codes,
    crypto,
    turns,
  }: Context & { codes: CodeCache; crypto: Crypto; turns: LocalChain['turns'] },
): Engines {
  const { nodeUrls: urls, validationEngine, lowestValidation } = chain
  const now = Date.now
  const node = createNodeClient({ ...chain, urls }, { log, metrics })
  const keccak = crypto.keccak256
  const state = createChainState(chain, { log, metrics, node, codes, keccak, now })
  const asked = { required: chain, rules: chainRulesOf(chain, crypto) }
  const local = createLocalChain({ node, state, turns, ...asked })
  // Each node has tracers of its own, or none.
  const tracers = requestUrls(urls).map((url) =>
    createNodeTracer(chain, { node: createNodeClient({ ...chain, urls: [url] }, { log, metrics }), now }),
  )
  const traced = createNodeEngine(asked, { node, tracers })
  // Where the rules need not be asked for, no node works for the answer.
  const byNode = lowestValidation === 'basic' ? createNodeEngine(asked, { node, tracers: [] }) : traced
  if (validationEngine === 'node') {
    return {
      judging: {
        ...byNode,
        validate: async (job) => withLevel(await byNode.validate(job), lowestValidation),
        async checkBundle(job) {
          const [verdict, codes] = await Promise.all([
            byNode.checkBundle(job),
            checkCodesAtNode(job, asked, { node }),
          ])
          return codes.kind === 'passes' ? verdict : codes
        },
        async explain(job) {
          const { verdict, ...rest } = await byNode.explain(job)
          return { verdict: withLevel(verdict, lowestValidation), ...rest }
        },
      },
      secondOpinion: (job) => validateLocally(job, local),
    }
  }
  return {
    judging: createLocalEngine(chain, { chain: local, byNode, log, metrics }),
    secondOpinion: async (job) => withLevel(await traced.validate(job), 'traced-by-node'),
  }
}
