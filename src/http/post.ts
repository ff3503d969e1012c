import type { RpcChain } from '../rpc/chain.ts'
import type { Dispatcher } from '../rpc/dispatch.ts'
import { unparsable } from '../rpc/envelope.ts'
import { createBill } from '../rpc/metering/bill.ts'
import { type Respond, refusal } from './answers.ts'
import { readBody } from './body.ts'
import { isServed, type NoChain } from './chains.ts'

/** Answers a POST for the chain that its address led to. Whatever content type it names, the body counts. */
export type PostHandler = (
  request: Request,
  found: RpcChain | NoChain,
  /** Under which the client's calls are counted. */
  address: string,
) => Promise<Response>

export function createPostHandler(
  options: { /** bytes */ maxBodySize: number },
  { dispatch, respond }: { dispatch: Dispatcher; respond: Respond },
): PostHandler {
  const { maxBodySize } = options
  return async (request, found, address) => {
    if (!isServed(found)) return respond(request, refusal(found.error), found.status)
    const text = await readBody(request, maxBodySize)
    if (text === undefined) {
      const message = `the body is over the limit of ${maxBodySize} bytes`
      return respond(request, refusal({ code: -32600, message, data: { maximum: maxBodySize } }), 413)
    }
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return respond(request, unparsable())
    }
    const bill = createBill()
    const query = new URL(request.url).searchParams
    const answer = await dispatch(found, body, { address, query, headers: request.headers, bill })
    return respond(request, answer, 200, bill.headers())
  }
}
