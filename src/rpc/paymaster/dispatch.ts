import type { Answerer } from '../answerer.ts'
import type { RpcCaller } from '../caller.ts'
import type { Answer } from '../envelope.ts'
import { unknownMethod } from '../unknown-method.ts'
import type { PaymasterMethod } from './method.ts'
import { paymasterMethods } from './methods.ts'
import type { PaymasterPerform } from './perform.ts'

/** Answers parsed JSON; `undefined` when nothing is to be answered (notifications). Never rejects. */
export type PaymasterDispatcher = (body: unknown, caller: RpcCaller) => Promise<Answer | Answer[] | undefined>

const names = paymasterMethods.map(({ name }) => name)
const byName = new Map<unknown, PaymasterMethod>(paymasterMethods.map((method) => [method.name, method]))

/** JSON-RPC at the paymaster's address: its own methods, on whichever chain a call names. */
export function createPaymasterDispatcher({
  answer,
  perform,
}: {
  answer: Answerer
  perform: PaymasterPerform
}): PaymasterDispatcher {
  return (body, { address, query, headers, bill }) =>
    answer(body, address, (request) => {
      const method = byName.get(request.method)
      return {
        chainId: undefined,
        method: method?.name,
        run(params) {
          if (method === undefined) throw unknownMethod(request.method, names)
          const sources = { query, headers, body: request }
          return perform(method, params, { sources, chainId: undefined, bill })
        },
        about: async () => ({ method: method?.name }),
      }
    })
}
