import type { Context } from '../base/context.ts'
import { Unavailable } from '../base/errors.ts'
import type { NodeClient, ReadAt } from '../types/ports/chain.ts'
import { meaningOf } from './answer-meaning.ts'
import { createEndpoint } from './endpoint.ts'
import { methodLabel } from './method-label.ts'
import { type ChainNode, createNode } from './node.ts'
import { NodeError } from './node-error.ts'
import { requestUrls } from './node-url.ts'

/** Calls without an answer at one time; more means that nothing gets through, and memory must not pay for it. */
const maxCalls = 20_000

type Outcome = 'ok' | 'error' | 'unknown_block' | 'unavailable'

/**
 * The nodes of one chain as one: the first one in the given order that works answers. A call waits at most
 * `timeoutMs` for each node, and once more for one that has to tell its chain first.
 */
export function createNodeClient(
  options: { chainId: number; urls: readonly string[]; timeoutMs: number; now?: () => number },
  context: Context,
): NodeClient {
  const { chainId, timeoutMs, now = Date.now } = options
  const { metrics } = context
  const nodes = requestUrls(options.urls).map((url) => createNode({ url, chainId, timeoutMs, now }, context))
  const requests = metrics.counter('node_requests_total', 'Calls to nodes.', ['chain', 'method', 'outcome'])
  const seconds = metrics.histogram('node_request_seconds', 'Time a node took to answer a call.', ['chain'])
  let open = 0

  return {
    chainId,
    request: <Result>(method: string, params: readonly unknown[]) =>
      bounded(() => ask(method, params)) as Promise<Result>,
    requestAt: <Result>(
      method: string,
      params: readonly unknown[],
      at: ReadAt,
      extra: readonly unknown[] = [],
    ) => bounded(() => askAt(method, params, at, extra)) as Promise<Result>,
    requestOf: <Result>(node: number | undefined, method: string, params: readonly unknown[]) =>
      bounded(async () => {
        const only = node === undefined ? undefined : nodes.slice(node, node + 1)
        const answer = await askOf(only ?? candidates(), method, params)
        return { node: nodes.indexOf(answer.node), result: answer.result }
      }) as Promise<{ node: number; result: Result }>,
    async close() {
      for (const node of nodes) node.close()
    },
  }

  async function askAt(
    method: string,
    params: readonly unknown[],
    at: ReadAt,
    extra: readonly unknown[],
  ): Promise<unknown> {
    if (at === 'latest') return ask(method, [...params, at, ...extra])
    const pinned = [...params, { blockHash: at.hash }, ...extra]
    try {
      return await ask(method, pinned)
    } catch (error) {
      if (!isUnknownBlock(error)) throw error
    }
    try {
      // One URL is often several nodes, and the next one has the block.
      return await ask(method, pinned)
    } catch (error) {
      if (!isUnknownBlock(error)) throw error
      throw new Unavailable(`no node of chain ${chainId} knows block ${at.number}`, { cause: error })
    }
  }

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return (await askOf(candidates(), method, params)).result
  }

  /** The first of `some` that can answer. */
  async function askOf(
    some: readonly ChainNode[],
    method: string,
    params: readonly unknown[],
  ): Promise<{ node: ChainNode; result: unknown }> {
    let last: unknown
    for (const node of some) {
      const started = performance.now()
      const count = (outcome: Outcome) => {
        requests.inc({ chain: chainId, method: methodLabel(method), outcome })
        seconds.observe({ chain: chainId }, (performance.now() - started) / 1000)
      }
      try {
        const result = await node.call(method, params)
        count('ok')
        return { node, result }
      } catch (error) {
        last = error
        if (!(error instanceof NodeError)) count('unavailable')
        else if (isUnknownBlock(error)) count('unknown_block')
        else {
          count('error')
          throw error
        }
      }
    }
    if (last instanceof NodeError) throw last
    throw new Unavailable(`no node of chain ${chainId} could answer ${method}`, { cause: last })
  }

  /**
   * Those that serve, in the given order; those whose pause is over come after them and are checked meanwhile, so that
   * nobody waits for them. With none that serves every one is tried that did not ask to be left alone.
   */
  function candidates(): ChainNode[] {
    const serving = nodes.filter((node) => node.standing === 'serving')
    const due = nodes.filter((node) => node.standing === 'due')
    if (serving.length > 0) {
      // What a check found is told by the node's standing.
      for (const node of due) void node.check().catch(() => {})
      return [...serving, ...due]
    }
    return nodes
      .filter((node) => node.standing !== 'resting')
      .toSorted((a, b) => a.pausedUntil - b.pausedUntil)
  }

  async function bounded(task: () => Promise<unknown>): Promise<unknown> {
    if (open >= maxCalls) throw new Unavailable(`too many open calls to the nodes of chain ${chainId}`)
    open += 1
    try {
      return await task()
    } finally {
      open -= 1
    }
  }
}

function isUnknownBlock(error: unknown): boolean {
  if (!(error instanceof NodeError)) return false
  const { code, message, nodeData } = error
  return meaningOf({ code, message, data: nodeData }) === 'unknown-block'
}

/** The chain that the first node to answer is of. @throws Unavailable when none answers */
export async function detectChainId(
  urls: readonly string[],
  options: { timeoutMs: number },
): Promise<number> {
  let last: unknown
  for (const url of requestUrls(urls)) {
    const endpoint = createEndpoint(url, options)
    try {
      return Number(await endpoint.call('eth_chainId', []))
    } catch (error) {
      last = error
    } finally {
      endpoint.close()
    }
  }
  throw new Unavailable('no node could tell its chain id', { cause: last })
}
