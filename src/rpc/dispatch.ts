import type { Json } from '../base/errors.ts'
import type { Answerer } from './answerer.ts'
import type { RpcCaller } from './caller.ts'
import type { RpcChain } from './chain.ts'
import type { Answer } from './envelope.ts'
import type { Metering } from './metering/metering.ts'
import type { Call, Method } from './method.ts'
import { readApiKey } from './paymaster/credentials.ts'
import type { Registry } from './registry.ts'
import { unknownMethod } from './unknown-method.ts'

/** Answers parsed JSON; `undefined` when nothing is to be answered (notifications). Never rejects. */
export type Dispatcher = (
  chain: RpcChain,
  body: unknown,
  caller: RpcCaller,
) => Promise<Answer | Answer[] | undefined>

export type DispatchOptions = {
  clientVersion: string
  /** No call without an API key; needs metering. */
  requireApiKey: boolean
}

/** The bundler's JSON-RPC. */
export function createDispatcher(
  options: DispatchOptions,
  modules: {
    registry: Registry
    answer: Answerer
    /** `undefined`: there are no API keys, and those that are sent mean nothing. */
    metering: Metering | undefined
  },
): Dispatcher {
  const { registry, answer, metering } = modules
  const { clientVersion, requireApiKey } = options

  return (chain, body, caller) =>
    answer(body, caller.address, (request) => {
      const method = registry.find(request.method, chain)
      const call: Call = { chain, clientVersion, caller, request, about: undefined }
      return {
        chainId: chain.bundler.chainId,
        method: method?.name,
        run(params) {
          if (method === undefined) throw unknownMethod(request.method, registry.names(chain))
          return run(method, params, call)
        },
        about: async () => ({
          ...{ chain: chain.bundler.chainId, method: method?.name },
          ...(await call.about?.()),
        }),
      }
    })

  function run(method: Method, params: readonly unknown[], call: Call): Promise<Json> | Json {
    const { query, headers, bill } = call.caller
    const apiKey = readApiKey(query, headers)
    const free = metering === undefined || (apiKey === undefined && !requireApiKey)
    if (free || method.chargesItself) return method.run(params, call)
    const terms = { apiKey, scope: undefined, price: method.price, bill }
    return metering(terms, async () => method.run(params, call))
  }
}
