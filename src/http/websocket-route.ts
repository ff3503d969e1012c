import type { RpcChain } from '../rpc/chain.ts'
import { type Respond, refusal } from './answers.ts'
import { isServed, type NoChain } from './chains.ts'
import type { ClientAddress } from './client-address.ts'
import type { Connection, Connections } from './websocket.ts'

type Params = { chainId?: string }
type Address = { request: Request; params: Params }

/** The part of the server's WebSocket that we use. */
type ServerSocket = {
  id: string
  data: Address
  raw: { readonly remoteAddress: string; send(text: string): number }
  close(code?: number, reason?: string): void
}

/** ms; a place becomes free when another client leaves */
const retryAfterMs = 10_000

/** The hooks of a WebSocket address: refused before the upgrade when it leads to no chain or there are too many. */
export function websocketRoute(
  find: (address: Address) => RpcChain | NoChain,
  { sockets, respond, addressOf }: { sockets: Connections; respond: Respond; addressOf: ClientAddress },
) {
  const open = new Map<string, Connection>()
  return {
    beforeHandle({ request, params }: Address) {
      const found = find({ request, params })
      if (!isServed(found)) return respond(request, refusal(found.error), found.status)
      if (!sockets.full) return
      const error = { code: -32005, message: 'limit exceeded', data: { retryAfterMs } }
      return respond(request, refusal(error), 503)
    },
    open(ws: ServerSocket) {
      const found = find(ws.data)
      if (!isServed(found)) return ws.close()
      const socket = {
        send: (text: string) => void ws.raw.send(text),
        close: (code: number, reason: string) => ws.close(code, reason),
      }
      const { headers, url } = ws.data.request
      const address = addressOf(headers, ws.raw.remoteAddress)
      const query = new URL(url).searchParams
      open.set(ws.id, sockets.open(found, socket, { address, query, headers }))
    },
    async message(ws: ServerSocket, message: unknown) {
      await open.get(ws.id)?.receive(message)
    },
    close(ws: ServerSocket) {
      open.get(ws.id)?.close()
      open.delete(ws.id)
    },
  }
}
