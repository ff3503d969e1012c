import { type Json, Unavailable } from '../../../base/errors.ts'
import { redactUrl } from '../../../base/log.ts'
import { meaningOf } from '../../../chain/answer-meaning.ts'
import { httpTarget } from '../../../chain/node-url.ts'
import { RelayRefusal } from '../outcome.ts'

/** Characters of a relay's reason that are kept: it goes to the log. */
const longestReason = 200

/**
 * ms that a relay which did not answer in time is left alone. Heads wait for what is being sent: one that hangs must
 * not hold up every one of them.
 */
const rest = 10_000

type Headers = Readonly<Record<string, string>>

/** JSON-RPC over HTTP to a relay: one call a request, since relays take no batches, and no question but ours. */
export type RelayClient = {
  /**
   * `headersFor` may sign the body. @throws RelayRefusal when the relay says no, in whatever form; Unavailable when it
   * says nothing that makes sense, or nothing in time
   */
  call(
    method: string,
    params: readonly Json[],
    headersFor?: (body: string) => Promise<Headers>,
  ): Promise<Json>
  /** Ends what is under way. */
  close(): void
}

export function createRelayClient(options: {
  url: string
  headers?: Headers
  /** ms that the relay has for an answer */
  timeoutMs: number
}): RelayClient {
  const target = httpTarget(options.url)
  const name = `relay ${redactUrl(options.url)}`
  const closed = new AbortController()
  let restsUntil = 0

  return {
    async call(method, params, headersFor) {
      if (performance.now() < restsUntil) throw new Unavailable(`${name} did not answer lately`)
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { ...target.headers, ...options.headers, ...(await headersFor?.(body)) }
      const { status, text } = await post(body, headers)
      return read(status, text)
    },
    close: () => closed.abort(),
  }

  async function post(body: string, headers: Headers): Promise<{ status: number; text: string }> {
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(options.timeoutMs)])
    try {
      const response = await fetch(target.url, { method: 'POST', headers, body, signal })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      if (signal.aborted) restsUntil = performance.now() + rest
      const what = signal.aborted ? `${name} did not answer in time` : `${name} could not be reached`
      throw new Unavailable(what, { cause: error })
    }
  }

  /** Errors come with any HTTP status, and with Flashbots as a bare text too. */
  function read(status: number, text: string): Json {
    const answer = parse(text)
    if (answer?.error !== undefined && answer.error !== null) throw failureOf(answer.error)
    if (status < 200 || status >= 300) throw new Unavailable(`${name} answered HTTP ${status}`)
    if (answer?.result === undefined) throw new Unavailable(`${name} answered something that is not JSON-RPC`)
    return answer.result
  }

  function failureOf(error: Json): Unavailable {
    const { code, message } = fieldsOf(error)
    const said = `${name} said: ${message.slice(0, longestReason)}`
    switch (meaningOf({ code, message })) {
      case 'busy':
      case 'failed':
        return new Unavailable(said)
      case 'verdict':
      case 'too-much':
      case 'unknown-block':
        return new RelayRefusal(said)
    }
  }
}

function parse(text: string): { [field: string]: Json } | undefined {
  try {
    const parsed: Json = JSON.parse(text)
    return isRecord(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function fieldsOf(error: Json): { code: number; message: string } {
  if (!isRecord(error)) return { code: 0, message: String(error) }
  return { code: Number(error.code ?? 0), message: String(error.message ?? 'no reason given') }
}

function isRecord(value: Json): value is { [field: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
