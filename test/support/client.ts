import type { Address, Hash, Hex } from 'viem'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'

/** A JSON-RPC error as a client sees it. */
export class RpcError extends Error {
  constructor(readonly error: { code: number; message: string; data?: Record<string, unknown> }) {
    super(error.message)
  }
}

/** One call. @throws RpcError */
export async function call<Result = unknown>(
  url: string,
  method: string,
  ...params: unknown[]
): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const body = (await response.json()) as { result: Result; error?: RpcError['error'] }
  if (body.error !== undefined) throw new RpcError(body.error)
  return body.result
}

export function send(url: string, op: UserOperation): Promise<Hash> {
  return call<Hash>(url, 'eth_sendUserOperation', formatUserOperation(op), entryPoints[op.version].address)
}

export type WireReceipt = {
  userOpHash: Hash
  sender: Address
  success: boolean
  receipt: { transactionHash: Hash; blockHash: Hash; blockNumber: Hex; status: Hex }
}

export type WireStatus = { status: string; reason?: unknown; transactionHash: Hash | null }

/** The states of every operation of one service, pushed over its WebSocket. */
export type StateWatch = {
  /** Resolves when all are in one of `states` (their latest). */
  all(hashes: readonly Hash[], ...states: readonly string[]): Promise<void>
  /** Resolves when one of them has reached `state`. */
  some(state: string): Promise<void>
  close(): void
}

/** Subscriptions that one WebSocket may have by default. */
const perSocket = 100

/** Follows the operations of `senders`, whatever becomes of them. */
export async function watchStates(url: string, senders: readonly Address[]): Promise<StateWatch> {
  const latest = new Map<Hash, string>()
  const waiting = new Set<() => void>()
  const note = (hash: Hash, status: string) => {
    latest.set(hash, status)
    for (const look of waiting) look()
  }
  const chunks = Array.from({ length: Math.ceil(senders.length / perSocket) }, (_, index) =>
    senders.slice(index * perSocket, (index + 1) * perSocket),
  )
  const sockets = await Promise.all(chunks.map((chunk) => subscribe(url, chunk, note)))
  return {
    all: (hashes, ...states) =>
      new Promise((done) => {
        const look = () => {
          if (!hashes.every((hash) => states.includes(latest.get(hash) ?? ''))) return
          waiting.delete(look)
          done()
        }
        waiting.add(look)
        look()
      }),
    some: (state) =>
      new Promise((done) => {
        const look = () => {
          if (![...latest.values()].includes(state)) return
          waiting.delete(look)
          done()
        }
        waiting.add(look)
        look()
      }),
    close: () => {
      for (const socket of sockets) socket.close()
    },
  }
}

/** A WebSocket with a subscription for each sender, all of them confirmed. */
function subscribe(
  url: string,
  senders: readonly Address[],
  note: (hash: Hash, status: string) => void,
): Promise<WebSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>()
  const socket = new WebSocket(url.replace('http', 'ws'))
  let unconfirmed = senders.length
  socket.onopen = () => {
    senders.forEach((sender, id) => {
      const params = ['userOperations', { sender }]
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
    })
  }
  socket.onerror = () => reject(new Error('the WebSocket failed'))
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as {
      error?: unknown
      params?: { result: { hash: Hash; status: string } }
    }
    if (message.error !== undefined) reject(new Error(JSON.stringify(message.error)))
    else if (message.params !== undefined) note(message.params.result.hash, message.params.result.status)
    else if (--unconfirmed === 0) resolve(socket)
  }
  return promise
}
