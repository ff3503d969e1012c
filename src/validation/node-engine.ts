import { Unavailable } from '../base/errors.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import { checkBundle } from './check-bundle.ts'
import type { ValidationEngine } from './engine.ts'
import { type EntryPointCodes, estimateAtNode } from './estimate/at-node.ts'
import { validate } from './validate.ts'

/** The engine that simulates at the node by `eth_call` with state overrides: nothing of ours is deployed. */
export function createNodeEngine({ nodes }: { nodes: ReadonlyMap<number, NodeClient> }): ValidationEngine {
  const codes = new Map<number, EntryPointCodes>()

  function nodeOf(chainId: number): NodeClient {
    const node = nodes.get(chainId)
    if (node === undefined) throw new Unavailable(`chain ${chainId} is not open`)
    return node
  }

  function codesOf(chainId: number): EntryPointCodes {
    const known = codes.get(chainId) ?? new Map()
    codes.set(chainId, known)
    return known
  }

  return {
    validate: async (job) => validate(job, { node: nodeOf(job.chainId) }),
    estimate: async (job) => estimateAtNode(job, { node: nodeOf(job.chainId), codes: codesOf(job.chainId) }),
    checkBundle: async (job) => checkBundle(job, { node: nodeOf(job.chainId) }),
  }
}
