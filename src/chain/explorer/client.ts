import type { Context } from '../../base/context.ts'
import { describe, type Json, Unavailable } from '../../base/errors.ts'
import { redactUrl } from '../../base/log.ts'
import { WorkQueue } from '../../base/queue.ts'
import { resultIn } from './answer.ts'

/** An explorer that speaks Etherscan's API (v2: one host, the chain as a parameter). What it says is a hint, never a proof. */
export type ExplorerClient = {
  /** The `result` of one call. @throws Unavailable when the explorer did not tell, whatever the reason; LimitExceeded */
  ask(call: ExplorerCall): Promise<Json>
  close(): void
}

export type ExplorerCall = { readonly module: string; readonly action: string } & {
  readonly [parameter: string]: string
}

/** Where an explorer is; some want no key. */
export type ExplorerAccess = { url: string; key: string | undefined }

/** Etherscan serves all of its chains at one address. */
export const etherscanUrl = 'https://api.etherscan.io/v2/api'

/** ms. Whoever asked is waiting, and can do without. */
const patience = 3000
/** Calls that wait for their turn; free keys allow three a second, so more would wait in vain. */
const mostWaiting = 8
/** ms that an explorer is left alone after a failure: first (its rate limit is by the second), and at most. */
const firstPause = 1000
const longestPause = 300_000

/** One call at a time; after a failure none for a while, longer with each. */
export function createExplorerClient(
  { url, key, chainId, now }: ExplorerAccess & { chainId: number; now: () => number },
  { log, metrics }: Context,
): ExplorerClient {
  const name = redactUrl(url)
  const queue = new WorkQueue({ concurrency: 1, capacity: mostWaiting, retryAfterMs: firstPause })
  const closing = new AbortController()
  const calls = metrics.counter('explorer_calls_total', 'Calls of the block explorer.', [
    'chain',
    'action',
    'outcome',
  ])
  let pause = 0
  let restsUntil = 0

  return {
    ask: (call) => queue.run(() => askNow(call)),
    close: () => closing.abort(),
  }

  async function askNow(call: ExplorerCall): Promise<Json> {
    if (closing.signal.aborted) throw new Unavailable(`${name} is closed`)
    if (now() < restsUntil) throw new Unavailable(`${name} is left alone after a failure`)
    try {
      const result = resultIn(await request(call))
      pause = 0
      calls.inc({ chain: chainId, action: call.action, outcome: 'answered' })
      return result
    } catch (error) {
      // An explorer may repeat the key in what it answers.
      const cause = key === undefined ? describe(error) : describe(error).replaceAll(key, '…')
      if (!closing.signal.aborted) {
        pause = Math.min(longestPause, pause === 0 ? firstPause : 2 * pause)
        restsUntil = now() + pause
        calls.inc({ chain: chainId, action: call.action, outcome: 'failed' })
        log.warn('explorer failed', { explorer: name, action: call.action, cause, pauseMs: pause })
      }
      throw new Unavailable(`${name}: ${cause}`)
    }
  }

  async function request(call: ExplorerCall): Promise<string> {
    const address = new URL(url)
    const access = key === undefined ? {} : { apikey: key }
    for (const [parameter, value] of Object.entries({ chainid: String(chainId), ...call, ...access }))
      address.searchParams.set(parameter, value)
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(patience)])
    // A redirect would carry the key to another host.
    const response = await fetch(address, { signal, redirect: 'error' })
    if (response.status !== 200) throw new Unavailable(`HTTP ${response.status}`)
    return await response.text()
  }
}
