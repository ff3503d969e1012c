import { Unavailable } from '../../base/errors.ts'
import type { ReadAt } from '../../types/ports/chain.ts'
import type { StateOverrides } from '../../types/ports/simulator.ts'
import type { CallOutcome, CallRequest } from '../eth-call.ts'
import type { NodeTracer } from './node-tracer.ts'
import type { Trace } from './trace.ts'

/**
 * The call traced by the first node, in the given order, that can; `undefined`: none of them has a tracer.
 * @throws Unavailable when one has, or may have, and none could trace it: that is no reason to look less closely
 */
export async function traceCall(
  nodes: readonly NodeTracer[],
  request: CallRequest,
  at: ReadAt,
  overrides: StateOverrides,
): Promise<Trace | undefined> {
  let failure: unknown
  for (const node of nodes) {
    try {
      const trace = await node.trace(request, at, overrides)
      if (trace !== undefined) return trace
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      failure = error
    }
  }
  if (failure !== undefined) throw new Unavailable('no node could trace', { cause: failure })
  return undefined
}

/** How the traced call ended, as `ethCall` tells it. @throws Unavailable when it did not end by itself */
export function outcomeOf({ root }: Trace): CallOutcome {
  if (root.error === undefined) return { kind: 'returned', data: root.output }
  if (root.error.toLowerCase().includes('revert')) return { kind: 'reverted', data: root.output }
  throw new Unavailable(`traced call: ${root.error}`)
}
