import type { Metrics } from '../base/metrics.ts'
import type { RpcCaller } from '../rpc/caller.ts'
import type { RpcChain } from '../rpc/chain.ts'
import type { Dispatcher } from '../rpc/dispatch.ts'
import { type Answer, addressed, isRecord, unparsable } from '../rpc/envelope.ts'
import { createBill } from '../rpc/metering/bill.ts'
import { createSubscriptions } from '../rpc/subscriptions.ts'

/** One client's WebSocket. */
export type Connection = {
  /** Answers one message: JSON as text, or a value that is parsed already. */
  receive(message: unknown): Promise<void>
  close(): void
}

/** The WebSockets that are open. */
export type Connections = {
  readonly full: boolean
  /** @param caller as it was when it came: its API key counts for all of its messages */
  open(chain: RpcChain, socket: Socket, caller: SocketCaller): Connection
  /** Asks every client to leave: the service is going away. */
  closeAll(): void
}

export type SocketCaller = Pick<RpcCaller, 'address' | 'query' | 'headers'>

export type Socket = { send(text: string): void; close(code: number, reason: string): void }

export type ConnectionLimits = {
  maxWebSockets: number
  /** of one WebSocket */
  maxSubscriptions: number
}

/** Messages of one WebSocket under way at once; a wallet has a handful, and a batch has its own limit. */
const maxUnanswered = 100
/** One of them may take a second; most take less. */
const tooMany = {
  code: -32005,
  message: 'limit exceeded',
  data: { retryAfterMs: 1000, maximum: maxUnanswered },
}
/** RFC 6455: the server is going away. */
const goingAway = 1001

export function createConnections(
  limits: ConnectionLimits,
  { dispatch, metrics }: { dispatch: Dispatcher; metrics: Metrics },
): Connections {
  const open = new Map<Connection, Socket>()
  const count = metrics.gauge('websockets', 'Open WebSockets.')

  return {
    get full() {
      return open.size >= limits.maxWebSockets
    },
    open(chain, socket, caller) {
      const connection = createConnection(chain, socket, caller)
      open.set(connection, socket)
      count.set(open.size)
      return connection
    },
    closeAll() {
      for (const socket of open.values()) socket.close(goingAway, 'the service is stopping')
    },
  }

  function createConnection(chain: RpcChain, socket: Socket, caller: SocketCaller): Connection {
    const send = (text: string) => socket.send(text)
    const answerWith = (answer: Answer | Answer[] | undefined) => {
      if (answer !== undefined) send(JSON.stringify(answer))
    }
    const subscriptions = createSubscriptions({ limit: limits.maxSubscriptions }, { send })
    let unanswered = 0
    const connection: Connection = {
      async receive(message) {
        const body = parsed(message)
        if (unanswered >= maxUnanswered) {
          answerWith(addressed(isRecord(body) ? body : {}, { error: tooMany }))
          return
        }
        unanswered += 1
        const subscriber = subscriptions.forMessage()
        try {
          answerWith(
            body === undefined
              ? unparsable()
              : await dispatch(chain, body, { ...caller, bill: createBill(), subscriber }),
          )
          subscriber.answered()
        } finally {
          unanswered -= 1
        }
      },
      close() {
        subscriptions.close()
        open.delete(connection)
        count.set(open.size)
      },
    }
    return connection
  }
}

/** The server parses what looks like JSON; text is what it could not parse, bytes it leaves alone. */
function parsed(message: unknown): unknown {
  if (typeof message !== 'string' && !(message instanceof Uint8Array)) return message
  try {
    return JSON.parse(typeof message === 'string' ? message : new TextDecoder().decode(message))
  } catch {
    return undefined
  }
}
