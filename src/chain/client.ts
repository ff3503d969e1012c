import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../base/context.ts'
import { Unavailable } from '../base/errors.ts'
import type { NodeClient, ReadAt } from '../types/ports/chain.ts'
import { isWellFormed } from './answer-shape.ts'
import { createEndpoint } from './endpoint.ts'
import { type Ascent, lagOf, withHeights } from './lag.ts'
import { methodLabel } from './method-label.ts'
import { type ChainNode, createNode } from './node.ts'
import { NodeError, nodeMeaning } from './node-error.ts'
import { requestUrls } from './node-url.ts'

/** Calls without an answer at one time; more means that nothing gets through, and memory must not pay for it. */
const maxCalls = 20_000

type Outcome = 'ok' | 'error' | 'unknown_block' | 'unavailable'

/**
 * ms between attempts to read at a block that no node knows yet: what stands behind one URL is often several nodes,
 * which learn of a block within a second of each other.
 */
const patience = [0, 50, 150, 300, 500]
/** JSON-RPC code with which nodes tell that they have no such filter. */
const serverError = -32000
/** Looks at all nodes' heads in the time that one may lag behind. */
const looksPerLag = 5

export type NodeClientOptions = {
  chainId: number
  urls: readonly string[]
  /** ms that a node has for an answer */
  timeoutMs: number
  /** ms that a node may be behind the others before it is left out */
  maxLag?: number | undefined
  /** Whose calls they are, for the metrics. */
  purpose?: 'bundler' | 'callers'
  /** most calls in one HTTP request */
  maxBatch?: number | undefined
  /** ms since 1970 */
  now?: () => number
  /** Waits that many ms. */
  pause?: (ms: number) => Promise<unknown>
}

/**
 * The nodes of one chain as one: the first one in the given order that works, and is not behind the others, answers.
 * A call waits at most `timeoutMs` for each node, and once more for one that has to tell its chain first.
 */
export function createNodeClient(options: NodeClientOptions, context: Context): NodeClient {
  const { chainId, timeoutMs, maxBatch, purpose = 'bundler', now = Date.now, pause = sleep } = options
  const maxLag = options.maxLag ?? Number.POSITIVE_INFINITY
  const { log, metrics } = context
  const nodes = requestUrls(options.urls).map((url) =>
    createNode({ url, chainId, timeoutMs, purpose, maxBatch, now }, context),
  )
  const requests = metrics.counter('node_requests_total', 'Calls to nodes.', [
    'chain',
    'method',
    'outcome',
    'purpose',
  ])
  const seconds = metrics.histogram('node_request_seconds', 'Time a node took to answer a call.', [
    'chain',
    'purpose',
  ])
  const lags = metrics.gauge('node_lag_seconds', 'How far a node is behind the others.', [
    'chain',
    'node',
    'purpose',
  ])
  const behind = new Set<ChainNode>()
  let ascent: Ascent = []
  let comparedAt = now()
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
        if (only?.length === 0) throw new NodeError(serverError, 'filter not found')
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
    let last: unknown
    for (const wait of patience) {
      if (wait > 0) await pause(wait)
      try {
        return await ask(method, pinned)
      } catch (error) {
        if (!isUnknownBlock(error)) throw error
        last = error
      }
    }
    throw new Unavailable(`no node of chain ${chainId} knows block ${at.number}`, { cause: last })
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
        requests.inc({ chain: chainId, method: methodLabel(method), outcome, purpose })
        seconds.observe({ chain: chainId, purpose }, (performance.now() - started) / 1000)
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
   * Those that serve, in the given order; then those whose pause is over, which are checked meanwhile, so that nobody
   * waits for them; then those that are behind. With none that serves every one is tried that did not ask to be left
   * alone.
   */
  function candidates(): ChainNode[] {
    const serving = nodes.filter((node) => node.standing === 'serving')
    const due = nodes.filter((node) => node.standing === 'due')
    if (serving.length > 0) {
      // What a check found is told by the node's standing.
      for (const node of due) void node.check().catch(() => {})
      if (serving.length > 1 && now() - comparedAt >= maxLag / looksPerLag) {
        comparedAt = now()
        void compareHeads(serving)
      }
      const [slow, fresh] = [
        serving.filter((node) => behind.has(node)),
        serving.filter((node) => !behind.has(node)),
      ]
      return [...fresh, ...due, ...slow]
    }
    return nodes
      .filter((node) => node.standing !== 'resting')
      .toSorted((a, b) => a.pausedUntil - b.pausedUntil)
  }

  /** Asks the nodes beside the calls how far they are. One that does not answer is as it was. */
  async function compareHeads(serving: readonly ChainNode[]): Promise<void> {
    const asked = serving.map(async (node) => {
      const answer = await node.height().catch(() => undefined)
      return answer === undefined ? [] : [{ node, height: answer }]
    })
    const found = (await Promise.all(asked)).flat()
    ascent = withHeights(
      ascent,
      found.map(({ height }) => height),
      now(),
    )
    for (const { node, height } of found) note(node, height, lagOf(ascent, height, now()))
  }

  function note(node: ChainNode, height: number, lag: number): void {
    lags.set({ chain: chainId, node: node.name, purpose }, lag / 1000)
    const isBehind = lag > maxLag
    if (isBehind === behind.has(node)) return
    const about = { node: node.name, block: height }
    if (isBehind) {
      behind.add(node)
      log.warn('node is behind the others', { ...about, ms: lag })
    } else {
      behind.delete(node)
      log.info('node has caught up', about)
    }
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

const isUnknownBlock = (error: unknown): boolean =>
  error instanceof NodeError && nodeMeaning(error) === 'unknown-block'

/** The chain that the first node to answer is of. @throws Unavailable when none answers */
export async function detectChainId(
  urls: readonly string[],
  options: { timeoutMs: number },
): Promise<number> {
  let last: unknown
  for (const url of requestUrls(urls)) {
    const endpoint = createEndpoint(url, options)
    try {
      const answer = await endpoint.call('eth_chainId', [])
      if (isWellFormed('eth_chainId', [], answer)) return Number(answer)
    } catch (error) {
      last = error
    } finally {
      endpoint.close()
    }
  }
  throw new Unavailable('no node could tell its chain id', { cause: last })
}
