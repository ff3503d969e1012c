import { type Static, type TObject, type TProperties, type TSchema, TypeGuard } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { InvalidParams, type Json } from '../base/errors.ts'
import type { LogFields } from '../base/log.ts'
import type { RpcChain } from './chain.ts'
import type { Subscriber } from './subscriptions.ts'

/** What a handler knows of the call besides its parameters. */
export type Call = {
  readonly chain: RpcChain
  /** `tandem/<version>` */
  readonly clientVersion: string
  /** On a WebSocket only. */
  readonly subscriber: Subscriber | undefined
  /** What the log says about this call should it fail for a reason of our own. */
  about: (() => Promise<LogFields>) | undefined
}

/** A JSON-RPC method. */
export type Method = {
  readonly name: string
  /** credits (interface.md, Limits) */
  readonly price: number
  /** Positional parameters in order, by name; `undefined` where the node decides. */
  readonly params: TProperties | undefined
  readonly result: TSchema
  /** @throws TandemError; InvalidParams when the parameters do not fit */
  run(params: readonly unknown[], call: Call): Promise<Json> | Json
}

type Arguments<Params extends TProperties> = Static<TObject<Params>>

/** A method whose parameters are checked against their schemas before `handler` sees them by name. */
export function defineMethod<Params extends TProperties, Result extends TSchema>(definition: {
  name: string
  price: number
  params: Params
  result: Result
  handler: (args: Arguments<Params>, call: Call) => Promise<Static<Result>> | Static<Result>
}): Method {
  const { name, price, params, result, handler } = definition
  const read = createReader(params)
  return {
    name,
    price,
    params,
    result,
    run: (given, call) => handler(read(given) as Arguments<Params>, call) as Promise<Json> | Json,
  }
}

/** Positional → named. Null counts as absent; a parameter too many is an error unless it is null. */
function createReader(schemas: TProperties): (given: readonly unknown[]) => { [name: string]: unknown } {
  const slots = Object.entries(schemas).map(([name, schema], index) => ({
    name,
    path: `params[${index}]`,
    optional: TypeGuard.IsOptional(schema),
    expected: expectedBy(schema),
    check: TypeCompiler.Compile(schema),
  }))
  return (given) => {
    const extra = given.findIndex((value, index) => index >= slots.length && value !== null)
    if (extra >= 0) {
      const message = slots.length === 0 ? 'no parameters are expected' : `at most ${slots.length} parameters`
      throw new InvalidParams(message, { path: `params[${extra}]` })
    }
    const args: { [name: string]: unknown } = {}
    slots.forEach(({ name, path, optional, expected, check }, index) => {
      const value = given[index] ?? undefined
      if (value === undefined) {
        if (!optional) throw new InvalidParams(`${name} is missing`, { path })
      } else if (check.Check(value)) {
        args[name] = value
      } else {
        throw new InvalidParams(`${name} must be ${expected}`, { path: path + innerPath(check, value) })
      }
    })
    return args
  }
}

/** Where inside a parameter the first fault is: `[0].opsSeen`. */
function innerPath(check: ReturnType<typeof TypeCompiler.Compile>, value: unknown): string {
  const pointer = check.Errors(value).First()?.path ?? ''
  return pointer.replace(/\/(\d+)(?=\/|$)/g, '[$1]').replace(/\//g, '.')
}

function expectedBy(schema: TSchema): string {
  return (schema as { expected?: string }).expected ?? schema.description ?? 'of the documented type'
}
