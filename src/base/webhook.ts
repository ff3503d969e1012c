import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from './context.ts'
import { bigintAsText, type LogFields, redactUrl } from './log.ts'

/** Tells somebody else's server of events. */
export type Webhook = {
  /** Queues a body, in which bigints become decimal text; never waits, never fails. */
  send(body: LogFields): void
}

/** ms before each attempt: over some two minutes, which a restart of the receiver takes. */
const pauses = [0, 1000, 5000, 25_000, 100_000]
/** Bodies that wait; beyond it the oldest goes, since what is newest matters most. */
const queueSize = 100

type Options = {
  url: string
  /** Signs each body. */
  secret: string
  /** ms that the receiver has for an answer */
  timeoutMs: number
}

type Modules = Context & {
  /** Ends deliveries. */
  signal: AbortSignal
  /** ms since 1970 */
  now?: () => number
  /** Waits that many ms. */
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * POSTs JSON bodies one after the other, in order, each until it is answered by 2xx or was tried often enough. The
 * header `tandem-signature: t=<s since 1970>,v1=<hex>` is the HMAC-SHA256 of `<t>.<body>` under the secret.
 */
export function createWebhook({ url, secret, timeoutMs }: Options, modules: Modules): Webhook {
  const { log, metrics, signal, now = Date.now, pause = waitFor } = modules
  const receiver = redactUrl(url)
  const queue: string[] = []
  const outcomes = metrics.counter('webhooks_total', 'Webhook bodies by what became of them.', ['outcome'])
  let isDelivering = false

  return {
    send(body) {
      if (signal.aborted) return
      if (queue.length >= queueSize) {
        queue.shift()
        outcomes.inc({ outcome: 'dropped' })
      }
      queue.push(JSON.stringify(body, bigintAsText))
      if (!isDelivering) void deliverAll()
    },
  }

  async function deliverAll(): Promise<void> {
    isDelivering = true
    for (let body = queue.shift(); body !== undefined && !signal.aborted; body = queue.shift()) {
      outcomes.inc({ outcome: (await deliver(body)) ? 'delivered' : 'failed' })
    }
    isDelivering = false
  }

  async function deliver(body: string): Promise<boolean> {
    let reason = 'stopping'
    for (const wait of pauses) {
      if (wait > 0) await pause(wait, signal)
      if (signal.aborted) break
      const outcome = await post(body)
      if (outcome === 'delivered') return true
      reason = outcome
    }
    log.error('webhook not delivered', { receiver, reason })
    return false
  }

  /** `delivered`, or why not. What fetch throws may hold the URL, so only its kind is told. */
  async function post(body: string): Promise<string> {
    const time = Math.floor(now() / 1000)
    const mac = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
    const headers = { 'content-type': 'application/json', 'tandem-signature': `t=${time},v1=${mac}` }
    try {
      const response = await fetch(url, {
        ...{ method: 'POST', headers, body, redirect: 'manual' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      await response.body?.cancel()
      return response.ok ? 'delivered' : `status ${response.status}`
    } catch (error) {
      return error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : 'no connection'
    }
  }
}

/** Ends early, and without a complaint, when the signal is aborted. */
const waitFor = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal }).catch(() => {})
