import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import type { Json } from '../base/errors.ts'
import type { LogFields } from '../base/log.ts'
import type { RpcCaller } from './caller.ts'
import type { RpcChain } from './chain.ts'
import type { Envelope } from './envelope.ts'
import { createReader } from './read-params.ts'

/** What a handler knows of the call besides its parameters. */
export type Call = {
  readonly chain: RpcChain
  /** `tandem/<version>` */
  readonly clientVersion: string
  readonly caller: RpcCaller
  /** As it came. */
  readonly request: Envelope
  /** What the log says about this call should it fail for a reason of our own. */
  about: (() => Promise<LogFields>) | undefined
}

/** A JSON-RPC method. */
export type Method = {
  readonly name: string
  /** credits (interface.md, Limits) */
  readonly price: number
  /** It looks for the API key in more places than others, and is charged there. */
  readonly chargesItself?: true
  /** Positional parameters in order, by name; `undefined` where the node decides. */
  readonly params: TProperties | undefined
  readonly result: TSchema
  /** @throws TandemError; InvalidParams when the parameters do not fit */
  run(params: readonly unknown[], call: Call): Promise<Json> | Json
}

export type Arguments<Params extends TProperties> = Static<TObject<Params>>

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
