import { type TProperties, type TSchema, Type, TypeGuard } from '@sinclair/typebox'
import type { Endpoint, QueryField } from '../paymaster/endpoint.ts'

/** A JSON-RPC method, as far as it is documented. */
export type DocumentedMethod = {
  readonly name: string
  readonly price: number
  readonly params: TProperties | undefined
  readonly result: TSchema
}

/** What one path has for one HTTP method. */
type Operation = { [field: string]: unknown }
/** By path, then by HTTP method in lower case. */
export type Paths = { [path: string]: { [method: string]: Operation } }

const ErrorBody = Type.Object({ error: Type.String(), code: Type.String() })
const errors = {
  400: 'Invalid, or refused',
  401: 'The API key is missing or wrong',
  403: "Another's wallet was named",
  404: 'Nothing of the caller has that name',
  409: 'Nothing would change',
  413: 'The body is too large',
  429: 'The credits are spent',
  503: 'Trouble of our own: try again',
}
const metered = {
  'x-credits-cost': { description: 'Credits that the request cost.', schema: { type: 'integer' } },
  'x-credits-remaining': {
    description: 'Credits that are left of this month, or "unlimited".',
    schema: { type: 'string' },
  },
}

const json = (schema: TSchema | object) => ({ 'application/json': { schema } })

/** OpenAPI 3.1 of what is served; schemas are JSON Schema 2020-12. */
export function openApiDocument(about: { version: string }, paths: Paths): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Tandem: ERC-4337 bundler and paymaster', version: about.version },
    paths,
    components: {
      securitySchemes: {
        query: { type: 'apiKey', in: 'query', name: 'apiKey' },
        header: { type: 'apiKey', in: 'header', name: 'apikey' },
      },
    },
  }
}

/** A plain GET without a key. */
export const openPath = (summary: string, statuses: Readonly<Record<number, string>>, answer: TSchema) => ({
  get: {
    summary,
    responses: Object.fromEntries(
      Object.entries(statuses).map(([status, description]) => [
        status,
        { description, content: json(answer) },
      ]),
    ),
  },
})

/** JSON-RPC at one path: every method with its parameters and its result. */
export function rpcPath(
  summary: string,
  methods: readonly DocumentedMethod[],
  options: { fields: readonly string[]; needsKey: boolean },
): Paths[string] {
  const responses = { 200: { description: 'A JSON-RPC answer, errors included.', content: json(rpcAnswer) } }
  return {
    post: {
      summary,
      parameters: options.fields.map((name) => pathField(name)),
      security: options.needsKey ? keyed : [{}, ...keyed],
      requestBody: { required: true, content: json({ anyOf: methods.map(rpcRequest) }) },
      responses,
      'x-methods': Object.fromEntries(
        methods.map(({ name, price, result }) => [name, { credits: price, result }]),
      ),
    },
  }
}

/** The paymaster's REST calls below `base`. */
export function restPaths(base: string, endpoints: readonly Endpoint[]): Paths {
  const paths: Paths = {}
  for (const [path, ofPath] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const byMethod = Map.groupBy(ofPath, ({ method }) => method.toLowerCase())
    paths[base + path] = Object.fromEntries(
      [...byMethod].map(([method, calls]) => [method, operation(path, calls)]),
    )
  }
  return paths
}

const keyed = [{ query: [] }, { header: [] }]

/** Several calls have the same place where useVp tells them apart. */
function operation(path: string, calls: readonly Endpoint[]): Operation {
  const fields = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const query = new Set(calls.flatMap((call) => call.query))
  const bodies = calls.flatMap(bodyOf)
  const [first] = calls
  return {
    summary: calls.map(({ summary, useVp }) => (useVp ? `with useVp: ${summary}` : summary)).join('; '),
    parameters: [...fields.map(pathField), ...[...query].map(queryField)],
    security: keyed,
    ...(bodies.length === 0 ? {} : { requestBody: { required: true, content: json(anyOf(bodies)) } }),
    responses: {
      200: {
        description: 'Done.',
        headers: metered,
        content: json(anyOf(calls.map(({ answer }) => answer))),
      },
      ...Object.fromEntries(
        Object.entries(errors).map(([status, description]) => [
          status,
          { description, content: json(ErrorBody) },
        ]),
      ),
    },
    'x-credits': first?.price,
    'x-scope': first?.scope,
  }
}

function bodyOf({ params, body }: Endpoint): TSchema[] {
  if (params !== undefined) return [Type.Object({ params: positional(params) })]
  return body === undefined ? [] : [body]
}

function anyOf(schemas: readonly TSchema[]): object {
  const [only, ...others] = schemas
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas }
}

const pathField = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } })

const queryFields: Readonly<Record<QueryField, { description: string; schema: object }>> = {
  chainId: { description: 'The chain that is meant.', schema: { type: 'integer' } },
  useVp: {
    description: "The tenant's own verifying paymaster instead of the shared one.",
    schema: { type: 'boolean' },
  },
  wait: { description: 'Answer when the transaction is in a block.', schema: { type: 'boolean' } },
}
const queryField = (name: QueryField) => ({ name, in: 'query', ...queryFields[name] })

/** An array by position; what is optional may be missing at the end. */
function positional(params: TProperties): object & TSchema {
  const schemas = Object.entries(params)
  const required = schemas.findLastIndex(([, schema]) => !TypeGuard.IsOptional(schema)) + 1
  const prefixItems = schemas.map(([title, schema]) => ({ title, ...schema }))
  return Type.Unsafe({ type: 'array', prefixItems, minItems: required })
}

const Id = Type.Union([Type.Integer(), Type.String(), Type.Null()])

function rpcRequest({ name, params }: DocumentedMethod): object {
  return {
    title: name,
    type: 'object',
    properties: {
      jsonrpc: { const: '2.0' },
      id: Id,
      method: { const: name },
      params: params === undefined ? { type: 'array' } : positional(params),
    },
    required: ['method'],
  }
}

const rpcAnswer = {
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: Id,
    result: {},
    error: Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) }),
  },
}
