import type { Answerer } from '../answerer.ts'
import type { RpcCaller } from '../caller.ts'
import { type Answer, type Envelope, isRecord } from '../envelope.ts'
import { unknownMethod } from '../unknown-method.ts'
import type { PaymasterMethod } from './method.ts'
import { paymasterMethods } from './methods.ts'
import type { PaymasterPerform } from './perform.ts'

/** Answers parsed JSON; `undefined` when nothing is to be answered (notifications). Never rejects. */
export type PaymasterDispatcher = (body: unknown, caller: RpcCaller) => Promise<Answer | Answer[] | undefined>

const byName: ReadonlyMap<unknown, PaymasterMethod> = new Map(
  paymasterMethods.map((method) => [method.name, method]),
)

/** JSON-RPC at the paymaster's address: its own methods, on whichever chain a call names. */
export function createPaymasterDispatcher({
  answer,
  perform,
}: {
  answer: Answerer
  perform: PaymasterPerform
}): PaymasterDispatcher {
  return (body, { address, query, headers, bill }) => {
    // A batch has no top level; each of its calls has the key where a call of its own would.
    const fields: Envelope = isRecord(body) ? body : {}
    return answer(body, address, (name) => {
      const method = byName.get(name)
      return {
        chainId: undefined,
        method: method?.name,
        run(params) {
          if (method === undefined) throw unknownMethod(name, [...byName.keys()].map(String))
          return perform(method, params, {
            sources: { query, headers, body: fields },
            chainId: undefined,
            bill,
          })
        },
        about: async () => ({ method: method?.name }),
      }
    })
  }
}
