import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { InvalidParams, type Json } from '../../base/errors.ts'
import { invalidData } from '../../paymaster/invalid-data.ts'
import type { Envelope } from '../../rpc/envelope.ts'
import type { Arguments } from '../../rpc/method.ts'
import type { Positions } from '../../rpc/paymaster/credentials.ts'
import { positionsIn } from '../../rpc/paymaster/method.ts'
import type { PaymasterService } from '../../rpc/paymaster/service.ts'
import { createReader, expectedBy } from '../../rpc/read-params.ts'
import type { Caller, Scope } from '../../types/paymaster/tenant.ts'

/** What a handler knows of the call besides what was sent. */
export type EndpointCall = {
  caller: Caller
  service: PaymasterService
  chainId: number | undefined
  useVp: boolean
  /** Transactions are awaited until they are in a block. */
  wait: boolean
}

/** What was sent, before it is checked. */
export type Sent = { params: readonly unknown[]; body: Envelope; path: PathFields }
/** By name, as the path has them. */
export type PathFields = Readonly<Record<string, string>>

export type QueryField = 'chainId' | 'useVp' | 'wait'

/** A REST call of the paymaster service. */
export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the service's address; `{name}` stands for a field. */
  readonly path: string
  readonly summary: string
  /** credits (interface.md, Limits) */
  readonly price: number
  readonly scope: Scope
  /** What of the query it minds, besides the key. */
  readonly query: readonly QueryField[]
  /** It is this one with that value of useVp only, and another of the same path with the other. */
  readonly useVp?: boolean
  /** Of the array `params` in the body, by name. */
  readonly params?: TProperties
  /** Of the body besides. */
  readonly body?: TObject
  readonly answer: TSchema
  readonly positions: Positions
  /** @throws PaymasterError, Unavailable, LimitExceeded */
  run(sent: Sent, call: EndpointCall): Promise<Json>
}

type About = Pick<Endpoint, 'method' | 'path' | 'summary' | 'price' | 'scope' | 'query' | 'useVp'>
type Answered<Answer extends TSchema> = Promise<Static<Answer>> | Static<Answer>

/** A call with positional `params`. */
export function withParams<Params extends TProperties, Answer extends TSchema>(
  definition: About & {
    params: Params
    answer: Answer
    handler: (args: Arguments<Params>, call: EndpointCall) => Answered<Answer>
  },
): Endpoint {
  const { handler, ...about } = definition
  const read = createReader(definition.params)
  return {
    ...about,
    positions: positionsIn(definition.params),
    run: async ({ params }, call) =>
      (await handler(dataOf(() => read(params)) as Arguments<Params>, call)) as Json,
  }
}

/** A call that says all in its path. */
export function withPath<Answer extends TSchema>(
  definition: About & {
    answer: Answer
    handler: (path: PathFields, call: EndpointCall) => Answered<Answer>
  },
): Endpoint {
  const { handler, ...about } = definition
  return { ...about, positions: {}, run: async ({ path }, call) => (await handler(path, call)) as Json }
}

/** What every body may have besides: who asks and how, and what a policy that was read has. */
const everywhere = [
  'id',
  'apiKey',
  'chainId',
  'useVp',
  'wait',
  'jsonrpc',
  'method',
  'params',
  'createdAt',
  'updatedAt',
]

/** A call whose fields stand in the body itself. A field that nobody knows is an error unless it is null. */
export function withBody<Body extends TObject, Answer extends TSchema>(
  definition: About & {
    body: Body
    answer: Answer
    handler: (body: Static<Body>, call: EndpointCall) => Answered<Answer>
  },
): Endpoint {
  const { handler, ...about } = definition
  const checker = TypeCompiler.Compile(definition.body)
  const known = new Set([...Object.keys(definition.body.properties), ...everywhere])

  function read(body: Envelope): Static<Body> {
    const unknown = Object.keys(body).find((name) => !known.has(name) && body[name] !== null)
    if (unknown !== undefined) throw invalidData(`${unknown.slice(0, 64)} is not a field`)
    if (checker.Check(body)) return body
    const field = checker.Errors(body).First()?.path.split('/')[1] ?? 'the body'
    const schema = definition.body.properties[field] ?? definition.body
    throw invalidData(`${field} must be ${expectedBy(schema)}`, { field })
  }

  return { ...about, positions: {}, run: async ({ body }, call) => (await handler(read(body), call)) as Json }
}

/** What params do not fit is invalid data. */
export function dataOf<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof InvalidParams)) throw error
    const path = error.data?.path
    throw invalidData(error.message, typeof path === 'string' ? { path } : {})
  }
}
