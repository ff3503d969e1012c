import type { NodeClient } from '../types/ports/chain.ts'
import { checkBundle } from './check-bundle.ts'
import type { ValidationEngine } from './engine.ts'
import { type EntryPointCodes, estimateAtNode } from './estimate/at-node.ts'
import type { Asked } from './rules/judge-rules.ts'
import type { NodeTracer } from './traced/node-tracer.ts'
import { validateTraced } from './traced/validate-traced.ts'
import { rehearse } from './validate.ts'

/**
 * The engine that simulates at the nodes of a chain: by their tracers where they have them, else by `eth_call` with
 * state overrides. Nothing of ours is deployed.
 */
export function createNodeEngine(
  asked: Asked,
  { node, tracers }: { node: NodeClient; tracers: readonly NodeTracer[] },
): ValidationEngine {
  const codes: EntryPointCodes = new Map()
  return {
    validate: (job) => validateTraced(job, asked, { node, tracers }),
    rehearse: (job) => rehearse(job, { node }),
    estimate: (job) => estimateAtNode(job, { node, codes }),
    explain: async (job) => ({
      verdict: await validateTraced(job, asked, { node, tracers }),
      findings: [],
      handled: undefined,
    }),
    checkBundle: (job) => checkBundle(job, { node }),
    prepare: async () => {},
  }
}
