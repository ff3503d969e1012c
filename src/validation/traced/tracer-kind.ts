import type { Address, Hex } from 'viem'
import { type Json, Unavailable } from '../../base/errors.ts'
import { NodeError, nodeMeaning } from '../../chain/node-error.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import callbacks from './callbacks.es5.js' with { type: 'text' }
import { MalformedTrace, readTrace } from './read-trace.ts'

/** Ways to have a node trace, the better one first: our script takes a node some twenty times as long. */
export const tracerKinds = ['native', 'script'] as const
export type TracerKind = (typeof tracerKinds)[number]

/** `tracer` of debug_traceCall */
export const tracers: Readonly<Record<TracerKind, string>> = { native: 'erc7562Tracer', script: callbacks }

/** An address without code. */
const nowhere: Address = '0x00000000000000000000000000000000007e57ed'

/** PUSH0 SLOAD POP PUSH0 PUSH1 2 SSTORE STOP */
const readsAndWrites: Hex = '0x5f54505f60025500'

/**
 * Whether a node has a tracer: it must tell what code does that stands there by an override alone, as validations do.
 * @throws Unavailable when the node could not tell
 */
export async function hasTracer(kind: TracerKind, node: NodeClient): Promise<boolean> {
  const options = { tracer: tracers[kind], stateOverrides: { [nowhere]: { code: readsAndWrites } } }
  try {
    const { root } = readTrace(
      await node.requestAt<Json>('debug_traceCall', [{ to: nowhere }], 'latest', [options]),
    )
    return root.reads.includes(0n) && root.writes.includes(2n) && root.error === undefined
  } catch (error) {
    if (error instanceof NodeError && nodeMeaning(error) === 'unknown-block')
      throw new Unavailable('a node has no state to trace on', { cause: error })
    if (error instanceof NodeError || error instanceof MalformedTrace) return false
    throw error
  }
}

/** The best tracer that a node has. @throws Unavailable when the node could not tell */
export async function findTracer(node: NodeClient): Promise<TracerKind | undefined> {
  for (const kind of tracerKinds) if (await hasTracer(kind, node)) return kind
  return undefined
}
