import { type Json, TandemError, Unavailable } from '../../base/errors.ts'
import type { NodeClient, ReadAt } from '../../types/ports/chain.ts'
import type { StateOverrides } from '../../types/ports/simulator.ts'
import type { CallRequest } from '../eth-call.ts'
import { readTrace } from './read-trace.ts'
import type { Trace } from './trace.ts'
import { hasTracer, type TracerKind, tracerKinds, tracers } from './tracer-kind.ts'

/** ms until a node without a tracer, or one that could not tell, is asked again: it may have been replaced. */
const pause = 30_000

/** What is known of a tracer on a node. `until` in ms since 1970. */
type Standing =
  | { kind: 'untried' }
  | { kind: 'works' }
  | { kind: 'absent'; until: number }
  | { kind: 'silent'; until: number; error: TandemError }

/** A node as far as it traces calls. */
export type NodeTracer = {
  /**
   * The call, traced by the best tracer that the node has, else by the other; `undefined`: it has none.
   * @throws Unavailable when it has one and failed, or could not be asked
   */
  trace(request: CallRequest, at: ReadAt, overrides: StateOverrides): Promise<Trace | undefined>
}

/**
 * Remembers which tracers `node` has. One that failed is looked for again before its next use: it may be gone, or the
 * call was one that it cannot bear, which says nothing about others.
 */
export function createNodeTracer(
  { timeoutMs }: { timeoutMs: number },
  { node, now }: { node: NodeClient; now: () => number },
): NodeTracer {
  const standings: Record<TracerKind, Standing> = {
    native: { kind: 'untried' },
    script: { kind: 'untried' },
  }
  const probes = new Map<TracerKind, Promise<void>>()

  return {
    async trace(request, at, overrides) {
      let failure: Error | undefined
      for (const kind of tracerKinds) {
        await probe(kind)
        const standing = standings[kind]
        if (standing.kind === 'silent') failure = standing.error
        if (standing.kind !== 'works') continue
        try {
          const options = { tracer: tracers[kind], timeout: `${timeoutMs}ms`, stateOverrides: overrides }
          return readTrace(await node.requestAt<Json>('debug_traceCall', [request], at, [options]))
        } catch (error) {
          if (!(error instanceof TandemError)) throw error
          standings[kind] = { kind: 'untried' }
          failure = error
        }
      }
      if (failure !== undefined) throw new Unavailable('a tracer failed', { cause: failure })
      return undefined
    },
  }

  /** Looks for a tracer where that is due; those who ask at once share the look. */
  function probe(kind: TracerKind): Promise<void> {
    const standing = standings[kind]
    const isDue = standing.kind === 'untried' || (standing.kind !== 'works' && standing.until <= now())
    if (!isDue) return Promise.resolve()
    const known = probes.get(kind) ?? look(kind).finally(() => probes.delete(kind))
    probes.set(kind, known)
    return known
  }

  async function look(kind: TracerKind): Promise<void> {
    try {
      standings[kind] = (await hasTracer(kind, node))
        ? { kind: 'works' }
        : { kind: 'absent', until: now() + pause }
    } catch (error) {
      if (!(error instanceof TandemError)) throw error
      standings[kind] = { kind: 'silent', until: now() + pause, error }
    }
  }
}
