import type { Bill } from './metering/bill.ts'
import type { Subscriber } from './subscriptions.ts'

/** Who calls. */
export type RpcCaller = {
  /** Under which its calls are counted. */
  address: string
  /** Where its API key may be. */
  query: URLSearchParams
  headers: Headers
  /** What its calls cost. */
  bill: Bill
  /** On a WebSocket only. */
  subscriber?: Subscriber
}
