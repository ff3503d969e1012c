import { type Json, Unavailable } from '../base/errors.ts'
import { redactUrl } from '../base/log.ts'
import { meaningOf, type RpcErrorObject } from './answer-meaning.ts'
import { NodeError } from './node-error.ts'
import { createScrubber, httpTarget } from './node-url.ts'

/** Calls in one HTTP request: what common providers accept. */
const batchCalls = 100
/** Characters in one HTTP request: half of the smallest body limit among nodes (anvil's 2 MB). */
const batchCharacters = 1_000_000
/** HTTP statuses that refuse the body, not the caller: a smaller body may do, or JSON-RPC explains it. */
const bodyRefused: readonly number[] = [400, 405, 406, 413, 415, 422]

/** Why an endpoint could not answer. */
export class EndpointFailure extends Unavailable {
  override readonly name: string = 'EndpointFailure'
  /** ms that the node asked to be left alone */
  readonly retryAfter: number | undefined
  /** It had its time and did not answer: the next caller would lose as much. */
  readonly timedOut: boolean
  constructor(
    what: string,
    options: { retryAfter?: number | undefined; timedOut?: boolean; cause?: unknown } = {},
  ) {
    super(what, { cause: options.cause })
    this.retryAfter = options.retryAfter
    this.timedOut = options.timedOut ?? false
  }
}

/** How a whole HTTP request went, for whoever decides about the next one. */
export type RequestOutcome = 'answered' | EndpointFailure

type Call = {
  method: string
  /** `method` and `params` as JSON, without the braces */
  text: string
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}
type Answer = { id?: number | string | null; result?: unknown; error?: RpcErrorObject | null }

/** One node URL. Calls of the same tick share HTTP requests. */
export type Endpoint = {
  /** The URL without its secrets. */
  readonly name: string
  /** @throws NodeError for every error object of the node's, EndpointFailure when it could not tell */
  call(method: string, params: readonly unknown[]): Promise<unknown>
  /** Ends what is under way. */
  close(): void
}

export function createEndpoint(
  url: string,
  options: {
    timeoutMs: number
    /** most calls in one HTTP request */
    maxBatch?: number | undefined
    onRequest?: (outcome: RequestOutcome) => void
  },
): Endpoint {
  const target = httpTarget(url)
  const name = redactUrl(url)
  const inFlight = new Set<AbortController>()
  let waiting: Call[] = []
  let isClosed = false
  /** Some nodes refuse batches: they get one call a request. */
  let maxBatch = options.maxBatch ?? batchCalls
  const scrub = createScrubber(url)

  return {
    name,
    call(method, params) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(new EndpointFailure(`${name} is closed`))
        const text = `"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}`
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ method, text, resolve, reject })
      })
    },
    close() {
      isClosed = true
      for (const controller of inFlight) controller.abort()
    },
  }

  function flush(): void {
    const calls = waiting
    waiting = []
    for (const batch of batches(calls, maxBatch)) void send(batch)
  }

  /** Settles every call; true when the node answered in JSON-RPC. */
  async function send(calls: readonly Call[]): Promise<boolean> {
    try {
      const answers = await post(calls)
      const busy = calls.map((call, id) => settle(call, answers.get(id)))
      options.onRequest?.(busy.find((failure) => failure !== undefined) ?? 'answered')
      return true
    } catch (error) {
      if (error instanceof BatchRefused) {
        const answered = await Promise.all(calls.map((call) => send([call])))
        // Only if it does better without: everything may be refused at the moment.
        if (answered.includes(true)) maxBatch = 1
        return false
      }
      const failure =
        error instanceof EndpointFailure ? error : new EndpointFailure(`${name} failed`, { cause: error })
      options.onRequest?.(failure)
      for (const call of calls) call.reject(failure)
      return false
    }
  }

  async function post(calls: readonly Call[]): Promise<Map<number, Answer>> {
    const requests = calls.map(({ text }, id) => `{"jsonrpc":"2.0","id":${id},${text}}`)
    const body = requests.length === 1 ? requests.join() : `[${requests.join()}]`
    const { status, text, retryAfter } = await fetchText(body)
    const understood = (status >= 200 && status < 300) || bodyRefused.includes(status)
    if (!understood) throw new EndpointFailure(`${name} answered HTTP ${status}`, { retryAfter })
    const parsed = parseJson(text)
    if (Array.isArray(parsed)) return byId(parsed)
    if (calls.length > 1) {
      const { error } = (parsed ?? {}) as Answer
      if (error && meaningOf(error) === 'busy')
        throw new EndpointFailure(`${name} is busy: ${readError(error).message}`)
      if (error || bodyRefused.includes(status)) throw new BatchRefused(`${name} refuses a batch`)
    }
    if (parsed === undefined) throw new EndpointFailure(`${name} answered something that is not JSON-RPC`)
    const answer = parsed as Answer
    // An error that came up before the request was understood has no id (JSON-RPC 2.0 §5).
    const isOurs = idOf(answer) === 0 || (answer.error && answer.id == null)
    return new Map(isOurs ? [[0, answer]] : [])
  }

  async function fetchText(
    body: string,
  ): Promise<{ status: number; text: string; retryAfter: number | undefined }> {
    const controller = new AbortController()
    inFlight.add(controller)
    const deadline = setTimeout(() => controller.abort(), options.timeoutMs)
    try {
      const response = await fetch(target.url, {
        method: 'POST',
        headers: target.headers,
        body,
        signal: controller.signal,
      })
      const retryAfter = retryAfterOf(response.headers.get('retry-after'))
      return { status: response.status, text: await response.text(), retryAfter }
    } catch (error) {
      const timedOut = controller.signal.aborted
      const what = timedOut ? `${name} did not answer in time` : `${name} could not be reached`
      throw new EndpointFailure(what, { timedOut, cause: error })
    } finally {
      clearTimeout(deadline)
      inFlight.delete(controller)
    }
  }

  /** Settles one call; gives the failure when the node is too busy for everybody. */
  function settle(call: Call, answer: Answer | undefined): EndpointFailure | undefined {
    const error = answer?.error
    if (error) {
      const { code, message, data } = readError(error)
      switch (meaningOf({ code, message, data })) {
        case 'verdict':
        case 'too-much':
        case 'unknown-block':
          call.reject(new NodeError(code, message, data))
          return undefined
        case 'failed':
          call.reject(new EndpointFailure(`${name} failed at ${call.method}: ${message}`))
          return undefined
        case 'busy': {
          const failure = new EndpointFailure(`${name} is busy: ${message}`)
          call.reject(failure)
          return failure
        }
      }
    }
    if (answer?.result === undefined)
      call.reject(new EndpointFailure(`${name} left ${call.method} unanswered`))
    else call.resolve(answer.result)
    return undefined
  }

  /** As the node gave it, without what it repeats of its own URL. */
  function readError({ code, message, data }: RpcErrorObject): RpcErrorObject {
    const error = { code: Number(code), message: String(message), data }
    const text = JSON.stringify(error)
    const scrubbed = scrub(text)
    return scrubbed === text ? error : JSON.parse(scrubbed)
  }
}

/** The node takes no batch like this one. */
class BatchRefused extends Error {
  override readonly name = 'BatchRefused'
}

/** As few HTTP requests as the bounds allow, in order. */
function batches(calls: readonly Call[], maxBatch: number): Call[][] {
  const all: Call[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const call of calls) {
    const current = all.at(-1)
    characters += call.text.length
    if (current === undefined || current.length >= maxBatch || characters > batchCharacters) {
      all.push([call])
      characters = call.text.length
    } else current.push(call)
  }
  return all
}

/** Entries that answer no call of ours are nobody's. */
function byId(entries: readonly (Answer | null)[]): Map<number, Answer> {
  return new Map(
    entries.flatMap((answer) => {
      const id = answer === null ? undefined : idOf(answer)
      return answer === null || id === undefined ? [] : [[id, answer] as const]
    }),
  )
}

/** Some nodes make text of it. */
function idOf({ id }: Answer): number | undefined {
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? Number(id) : undefined
}

function parseJson(text: string): object | undefined {
  try {
    const parsed: Json = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}

/** ms from a Retry-After header, which holds seconds or a date (RFC 9110 §10.2.3). */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return ms > 0 ? ms : undefined
}
