import type { Hex } from 'viem'
import type { Context } from '../base/context.ts'
import { describe, Unavailable } from '../base/errors.ts'
import { isWellFormed } from './answer-shape.ts'
import { answered, type Breaker, closed, failed, type Standing, standingOf, tripped } from './breaker.ts'
import { createEndpoint, EndpointFailure, type RequestOutcome } from './endpoint.ts'
import { NodeError } from './node-error.ts'

/** ms until a node of another chain is asked again: somebody has to repair it first. */
const wrongChainPause = 30_000

/**
 * One node of a chain: an endpoint that is asked for its chain id before its first use and after every request that
 * failed, since what comes back at its address may be something else.
 */
export type ChainNode = {
  readonly name: string
  readonly standing: Standing
  /** ms since 1970 when it may be tried again; 0 while it serves */
  readonly pausedUntil: number
  /** Asks for the chain id; the right one closes the breaker. Those who ask at once share one call. @throws Unavailable */
  check(): Promise<void>
  /**
   * Checks first where that is due. An answer of the wrong kind is a failure of this call.
   * @throws NodeError, Unavailable
   */
  call(method: string, params: readonly unknown[]): Promise<unknown>
  /** Number of its newest block; its chain id is looked at again with it. @throws NodeError, Unavailable */
  height(): Promise<number>
  close(): void
}

export function createNode(
  options: {
    url: string
    chainId: number
    timeoutMs: number
    purpose: string
    maxBatch: number | undefined
    now: () => number
  },
  { log, metrics }: Context,
): ChainNode {
  const { chainId, timeoutMs, purpose, maxBatch, now } = options
  const endpoint = createEndpoint(options.url, { timeoutMs, maxBatch, onRequest })
  const { name } = endpoint
  const openNodes = metrics.gauge('node_breaker_open', '1 while a node is left alone.', [
    'chain',
    'node',
    'purpose',
  ])
  const labels = { chain: chainId, node: name, purpose }
  let breaker: Breaker = closed
  let isChecked = false
  let checking: Promise<void> | undefined
  /** The newest failure that the breaker knows of. */
  let counted: EndpointFailure | undefined
  openNodes.set(labels, 0)

  return {
    name,
    get standing() {
      return standingOf(breaker, now())
    },
    get pausedUntil() {
      return breaker.kind === 'open' ? breaker.until : 0
    },
    check,
    async call(method, params) {
      if (!isChecked) await check()
      return ask(method, params)
    },
    async height() {
      if (!isChecked) await check()
      const [height] = await Promise.all([ask('eth_blockNumber', []), check()])
      return Number(height as Hex)
    },
    close: endpoint.close,
  }

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const answer = await endpoint.call(method, params)
    if (isWellFormed(method, params, answer)) return answer
    throw new EndpointFailure(`${name} gave no proper answer to ${method}`)
  }

  function check(): Promise<void> {
    checking ??= checkChain().finally(() => {
      checking = undefined
    })
    return checking
  }

  async function checkChain(): Promise<void> {
    try {
      const found = await chainIdOf()
      if (found !== undefined && found !== chainId) {
        throw new EndpointFailure(`${name} is of chain ${found}, not ${chainId}`, {
          retryAfter: wrongChainPause,
        })
      }
    } catch (error) {
      const retryAfter = error instanceof EndpointFailure ? error.retryAfter : undefined
      isChecked = false
      // A request that failed is counted already; this one was answered, and wrongly.
      if (error !== counted) change(tripped(breaker, now(), retryAfter), error)
      throw error instanceof Unavailable ? error : new Unavailable(`${name} failed`, { cause: error })
    }
    isChecked = true
    change(closed, undefined)
  }

  /** `undefined` from an endpoint that only takes transactions: those name their chain themselves. */
  async function chainIdOf(): Promise<number | undefined> {
    try {
      return Number((await ask('eth_chainId', [])) as Hex)
    } catch (error) {
      if (error instanceof NodeError && error.code === methodNotFound) return undefined
      throw error
    }
  }

  function onRequest(outcome: RequestOutcome): void {
    if (outcome === 'answered') change(answered(breaker), undefined)
    else {
      isChecked = false
      counted = outcome
      const next = outcome.timedOut ? tripped(breaker, now()) : failed(breaker, now(), outcome.retryAfter)
      change(next, outcome)
    }
  }

  function change(next: Breaker, cause: unknown): void {
    const before = breaker
    breaker = next
    if (next.kind === before.kind) return
    openNodes.set(labels, next.kind === 'open' ? 1 : 0)
    if (next.kind === 'open')
      log.warn('node is left alone', { node: name, ms: next.until - now(), error: describe(cause) })
    else log.info('node serves again', { node: name })
  }
}

/** JSON-RPC 2.0 §5.1 */
const methodNotFound = -32601
