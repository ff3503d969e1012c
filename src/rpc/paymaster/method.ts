import type { Static, TProperties, TSchema } from '@sinclair/typebox'
import type { Json } from '../../base/errors.ts'
import type { Caller } from '../../types/paymaster/tenant.ts'
import type { PaymasterPort } from '../../types/ports/paymaster.ts'
import type { Arguments } from '../method.ts'
import { createReader } from '../read-params.ts'
import type { Positions } from './credentials.ts'

/** What a handler knows of the call besides its parameters. */
export type PaymasterCall = { caller: Caller; paymaster: PaymasterPort; useVp: boolean }

/** A JSON-RPC method of the paymaster: for those with a key that may sponsor. */
export type PaymasterMethod = {
  readonly name: string
  /** credits (interface.md, Limits) */
  readonly price: number
  /** Positional parameters in order, by name; `chainId` and `apiKey` among them are read before. */
  readonly params: TProperties
  readonly result: TSchema
  readonly positions: Positions
  /** @throws PaymasterError; InvalidParams when the parameters do not fit */
  run(params: readonly unknown[], call: PaymasterCall): Promise<Json> | Json
}

export function definePaymasterMethod<Params extends TProperties, Result extends TSchema>(definition: {
  name: string
  price: number
  params: Params
  /** The place of `chainId` comes before the address (ERC-7677). */
  chainIdFirst?: true
  result: Result
  handler: (args: Arguments<Params>, call: PaymasterCall) => Promise<Static<Result>> | Static<Result>
}): PaymasterMethod {
  const { name, price, params, chainIdFirst, result, handler } = definition
  const read = createReader(params)
  return {
    name,
    price,
    params,
    result,
    positions: { ...positionsIn(params), ...(chainIdFirst && { chainIdFirst }) },
    run: (given, call) => handler(read(given) as Arguments<Params>, call) as Promise<Json> | Json,
  }
}

/** Where parameters have the chain and the key. */
export function positionsIn(params: TProperties): Positions {
  const names = Object.keys(params)
  const position = (name: 'chainId' | 'apiKey') =>
    names.includes(name) ? { [name]: names.indexOf(name) } : {}
  return { ...position('chainId'), ...position('apiKey') }
}
