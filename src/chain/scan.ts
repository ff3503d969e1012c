import { type Address, type Hash, numberToHex } from 'viem'
import { Unavailable } from '../base/errors.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { IndexedEvent } from '../types/ports/store.ts'
import { parseEvents, userOperationEventTopic } from './events.ts'
import { readLogs, TooManyLogs } from './logs.ts'

/** Queries of one scan, at most: a node that takes ten blocks at a time still answers for the default range. */
const mostQueries = 256

export type EventQuery = { from: number; to: number; entryPoints: readonly Address[]; hash?: Hash }

/** UserOperationEvents of a range of blocks, in chain order; of one operation when `hash` is given. @throws Unavailable */
export type EventScan = (query: EventQuery) => Promise<IndexedEvent[]>

/**
 * Scans in pieces that the nodes take: one that is refused for its width or its results is halved, and what was
 * found to do is remembered. Each scan tries twice as much as the last one ended with.
 */
export function createEventScan(client: NodeClient): EventScan {
  /** blocks that one query may span */
  let span = Number.POSITIVE_INFINITY

  return async ({ from, to, entryPoints, hash }) => {
    const events: IndexedEvent[] = []
    span *= 2
    let next = from
    for (let queries = 0; next <= to; queries++) {
      if (queries === mostQueries) {
        throw new Unavailable(`the nodes of chain ${client.chainId} give logs of ${span} blocks at a time`)
      }
      const last = Math.min(to, next + span - 1)
      try {
        events.push(...(await piece(next, last)))
        next = last + 1
      } catch (error) {
        if (!(error instanceof TooManyLogs) || next === last) throw error
        span = Math.ceil((last - next + 1) / 2)
      }
    }
    return events

    async function piece(fromBlock: number, toBlock: number): Promise<IndexedEvent[]> {
      const filter = {
        fromBlock: numberToHex(fromBlock),
        toBlock: numberToHex(toBlock),
        address: entryPoints,
        topics: hash === undefined ? [userOperationEventTopic] : [userOperationEventTopic, hash],
      }
      return parseEvents(client.chainId, await readLogs(filter, client))
    }
  }
}
