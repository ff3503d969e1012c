import type { Context } from '../../base/context.ts'
import { describe, TandemError, toWire } from '../../base/errors.ts'
import { Unsupported } from '../../evm/outcome.ts'
import type { UserOperation } from '../../types/userop.ts'
import type { ValidationLevel, Verdict } from '../../types/verdict.ts'
import type { ValidationEngine } from '../engine.ts'
import { isTooWeak } from '../level.ts'
import { blame } from '../rejection.ts'
import { checkCodesAtNode } from '../traced/check-codes-at-node.ts'
import { blamingDrift, checkBundleLocally } from './check-bundle-locally.ts'
import { estimateLocally } from './estimate-locally.ts'
import { explainLocally } from './explain-locally.ts'
import { foreseeParts } from './foresee.ts'
import type { LocalChain } from './local-chain.ts'
import { validateLocally } from './validate-locally.ts'

/**
 * The engine that runs validation in our own EVM. What that does not know the node judges; what the node then accepts
 * below `lowestValidation` is refused.
 */
export function createLocalEngine(
  { lowestValidation }: { lowestValidation: ValidationLevel },
  { chain, byNode, log, metrics }: Context & { chain: LocalChain; byNode: ValidationEngine },
): ValidationEngine {
  const { chainId } = chain.node
  const unsupported = metrics.counter(
    'validation_unsupported_total',
    'Runs that our own EVM left to the node, by what for.',
    ['chain', 'kind'],
  )

  return {
    validate: (job) =>
      orByNode(
        'validate',
        () => validateLocally(job, chain),
        async (what) => {
          const verdict = await byNode.validate(job)
          return isTooWeak(verdict, lowestValidation) ? refusal(job.op, what) : verdict
        },
      ),

    rehearse: (job) =>
      orByNode(
        'rehearse',
        () => validateLocally(job, chain, 'awaited'),
        () => byNode.rehearse(job),
      ),

    estimate: (job) =>
      orByNode(
        'estimate',
        () => estimateLocally(job, chain),
        () => byNode.estimate(job),
      ),

    async prepare({ block, ops, reorg }) {
      if (reorg) chain.state.forgetCode()
      try {
        const { view } = await chain.at(block)
        await chain.state.prepare(
          view,
          ops.map((op) => foreseeParts(op, { view, state: chain.state })),
        )
      } catch (error) {
        log.warn('state not fetched ahead', { block: block.number, error: describe(error) })
      }
    },

    explain: (job) =>
      orByNode(
        'explain',
        () => explainLocally(job, chain),
        async (what) => {
          const { verdict, ...rest } = await byNode.explain(job)
          return { verdict: isTooWeak(verdict, lowestValidation) ? refusal(job.op, what) : verdict, ...rest }
        },
      ),

    async checkBundle(job) {
      const [atNode, here] = await Promise.all([
        byNode.checkBundle(job),
        orByNode(
          'check-bundle',
          () => checkBundleLocally(job, chain),
          () => checkCodesAtNode(job, chain, chain),
        ),
      ])
      if (here.kind !== 'passes') return here
      const drifts = here.drifts ?? []
      return atNode.kind === 'passes' ? { ...atNode, drifts } : blamingDrift(atNode, drifts)
    },
  }

  async function orByNode<Result>(
    kind: 'validate' | 'rehearse' | 'estimate' | 'explain' | 'check-bundle',
    locally: () => Promise<Result>,
    otherwise: (what: string) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await locally()
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error
      unsupported.inc({ chain: chainId, kind })
      return otherwise(error.what)
    }
  }
}

function refusal(op: UserOperation, what: string): Verdict {
  const error = new TandemError(
    -32500,
    `validation uses ${what}, on which the rules cannot be checked here`,
    {
      ...blame(op, 'account'),
      hint: 'use in validation only what Ethereum has too',
    },
  )
  return { kind: 'rejected', error: toWire(error) }
}
