import type { Context } from '../base/context.ts'
import type { Json } from '../base/errors.ts'
import type { LogFields } from '../base/log.ts'
import { admission, type RateLimiter } from '../base/rate.ts'
import {
  type Answer,
  addressed,
  type Envelope,
  isRecord,
  type Outcome,
  readParams,
  refused,
} from './envelope.ts'
import { publicError } from './public-error.ts'

/** What one call asks for. */
export type Task = {
  /** `undefined` where calls name their chain. */
  chainId: number | undefined
  /** Name of the method; `undefined` where there is none of that name, which `run` then throws. */
  method: string | undefined
  /** @throws TandemError */
  run(params: readonly unknown[]): Promise<Json> | Json
  /** What the log says of the call should it fail for a reason of our own. Never rejects. */
  about(): Promise<LogFields>
}

/** Answers parsed JSON; `undefined` when nothing is to be answered (notifications). Never rejects. */
export type Answerer = (
  body: unknown,
  /** under which the client's calls are counted */
  address: string,
  taskOf: (request: Envelope) => Task,
) => Promise<Answer | Answer[] | undefined>

/** Codes that count as themselves in the metrics; a node may answer any number. */
const countedCodes: ReadonlySet<number> = new Set([
  -32600, -32601, -32602, -32603, -32001, -32005, -32500, -32501, -32502, -32503, -32504, -32505, -32506,
  -32507, -32508, -32521,
])

/** JSON-RPC 2.0 as answers.md §1 settles it: envelopes, batches, errors, and what is counted of them. */
export function createAnswerer(
  options: { /** most calls in a batch */ maxBatch: number },
  modules: Context & {
    /** Of each address's calls; `undefined`: no limit. */ limiter: RateLimiter | undefined
  },
): Answerer {
  const { log, metrics } = modules
  const admit = admission(modules.limiter)
  const requests = metrics.counter('rpc_requests_total', 'JSON-RPC calls by outcome.', [
    'chain',
    'method',
    'code',
  ])
  const seconds = metrics.histogram('rpc_request_seconds', 'Time to answer a JSON-RPC call.', [
    'chain',
    'method',
  ])

  return async (body, address, taskOf) => {
    if (!Array.isArray(body)) return answerOne(body, address, taskOf)
    if (body.length === 0) return refused('an empty batch is not a request')
    if (body.length > options.maxBatch) {
      const message = `a batch of ${body.length} calls is over the limit of ${options.maxBatch}`
      return refused(message, { maximum: options.maxBatch })
    }
    const answers = await Promise.all(body.map((entry) => answerOne(entry, address, taskOf)))
    const due = answers.filter((answer) => answer !== undefined)
    return due.length === 0 ? undefined : due
  }

  async function answerOne(
    entry: unknown,
    address: string,
    taskOf: (request: Envelope) => Task,
  ): Promise<Answer | undefined> {
    const start = performance.now()
    const envelope = isRecord(entry) ? entry : {}
    const task = taskOf(envelope)
    let outcome: Outcome
    try {
      admit(address)
      outcome = { result: await task.run(readParams(entry)) }
    } catch (error) {
      outcome = { error: publicError(error, { log, about: task.about }) }
    }
    const labels = { chain: task.chainId ?? 'any', method: task.method ?? 'unknown' }
    requests.inc({ ...labels, code: outcomeLabel(outcome) })
    seconds.observe(labels, (performance.now() - start) / 1000)
    return addressed(envelope, outcome)
  }
}

function outcomeLabel(outcome: Outcome): string {
  if (!('error' in outcome)) return 'ok'
  return countedCodes.has(outcome.error.code) ? String(outcome.error.code) : 'other'
}
