import type { Hex } from 'viem'
import type { Context } from '../base/context.ts'
import { Unavailable } from '../base/errors.ts'
import type { NodeClient, ReadAt } from '../types/ports/chain.ts'
import { type Breaker, closedBreaker, failed, isOpen, succeeded } from './breaker.ts'
import { createEndpoint, type Endpoint, type EndpointFailure } from './endpoint.ts'
import { NodeError } from './node-error.ts'

type Node = { endpoint: Endpoint; breaker: Breaker; verified: Promise<void> | undefined }

/**
 * The nodes of one chain as one: the preferred one that works answers. A node is asked for its chain id before its
 * first use and after every outage, and is left alone while it is of another chain.
 */
export function createNodeClient(
  options: { chainId: number; urls: readonly string[]; timeoutMs: number; now?: () => number },
  { log, metrics }: Context,
): NodeClient {
  const now = options.now ?? Date.now
  const { chainId } = options
  const nodes: Node[] = options.urls.map((url) => ({
    endpoint: createEndpoint(url, options),
    breaker: closedBreaker,
    verified: undefined,
  }))
  const requests = metrics.counter('node_requests_total', 'Calls to nodes.', ['chain', 'outcome'])
  const seconds = metrics.histogram('node_request_seconds', 'Time a node took to answer a call.', ['chain'])

  return { chainId, request, requestAt, close: async () => {} }

  async function request<Result>(method: string, params: readonly unknown[]): Promise<Result> {
    let last: Error | undefined
    for (const node of candidates()) {
      const started = performance.now()
      try {
        await verify(node)
        const result = await node.endpoint.call(method, params)
        node.breaker = succeeded()
        requests.inc({ chain: chainId, outcome: 'ok' })
        return result as Result
      } catch (error) {
        if (error instanceof NodeError) {
          node.breaker = succeeded()
          requests.inc({ chain: chainId, outcome: 'error' })
          throw error
        }
        last = error instanceof Error ? error : new Error(String(error))
        requests.inc({ chain: chainId, outcome: 'unavailable' })
        noteFailure(node, last)
      } finally {
        seconds.observe({ chain: chainId }, (performance.now() - started) / 1000)
      }
    }
    throw new Unavailable(`no node of chain ${chainId} could answer ${method}`, { cause: last })
  }

  function requestAt<Result>(
    method: string,
    params: readonly unknown[],
    at: ReadAt,
    extra: readonly unknown[] = [],
  ): Promise<Result> {
    const block = at === 'latest' ? at : { blockHash: at.hash }
    return request(method, [...params, block, ...extra])
  }

  /** In the configured order, those that are left alone last: with all of them down, one is still tried. */
  function candidates(): Node[] {
    const at = now()
    const working = nodes.filter((node) => !isOpen(node.breaker, at))
    if (working.length > 0) return working
    return nodes.toSorted((a, b) => a.breaker.openUntil - b.breaker.openUntil).slice(0, 1)
  }

  function verify(node: Node): Promise<void> {
    node.verified ??= node.endpoint.call('eth_chainId', []).then((answer) => {
      if (BigInt(answer as Hex) === BigInt(chainId)) return
      throw new WrongChain(`${node.endpoint.name} is of chain ${BigInt(answer as Hex)}, not ${chainId}`)
    })
    return node.verified
  }

  function noteFailure(node: Node, error: Error): void {
    const before = isOpen(node.breaker, now())
    const retryAfter = error instanceof WrongChain ? wrongChainPause : (error as EndpointFailure).retryAfter
    node.breaker = failed(node.breaker, now(), retryAfter)
    // "Block not found" is the fate of a load balancer; only an outage asks for a new look at the chain id.
    if (isOpen(node.breaker, now())) node.verified = undefined
    if (!before && isOpen(node.breaker, now())) {
      const pauseMs = node.breaker.openUntil - now()
      log.warn('node left alone', {
        node: node.endpoint.name,
        pauseMs,
        error: error.message,
        cause: String(error.cause ?? ''),
      })
    }
  }
}

/** ms until a node of another chain is asked again: somebody has to repair it first. */
const wrongChainPause = 30_000

class WrongChain extends Unavailable {
  override readonly name = 'WrongChain'
}

/** The chain that the first node to answer is of. @throws Unavailable when none answers */
export async function detectChainId(
  urls: readonly string[],
  options: { timeoutMs: number },
): Promise<number> {
  let last: unknown
  for (const url of urls) {
    try {
      return Number(await createEndpoint(url, options).call('eth_chainId', []))
    } catch (error) {
      last = error
    }
  }
  throw new Unavailable('no node could tell its chain id', { cause: last })
}
