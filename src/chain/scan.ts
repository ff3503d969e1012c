import type { Address, Hash } from 'viem'
import type { NodeClient } from '../types/ports/chain.ts'
import type { IndexedEvent } from '../types/ports/store.ts'
import { parseEvents, userOperationEventTopic } from './events.ts'
import { createLogScan } from './log-scan.ts'

export type EventQuery = { from: number; to: number; entryPoints: readonly Address[]; hash?: Hash }

/** UserOperationEvents of a range of blocks, in chain order; of one operation when `hash` is given. @throws Unavailable */
export type EventScan = (query: EventQuery) => Promise<IndexedEvent[]>

export function createEventScan(client: NodeClient): EventScan {
  const scan = createLogScan(client)
  return async ({ from, to, entryPoints, hash }) => {
    const topics = hash === undefined ? [userOperationEventTopic] : [userOperationEventTopic, hash]
    return parseEvents(client.chainId, await scan({ from, to, address: entryPoints, topics }))
  }
}
