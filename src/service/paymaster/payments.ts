import type { Address } from 'viem'
import { describe } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Coverage } from '../../bundler/coverage.ts'
import { LogsUnknown } from '../../chain/logs.ts'
import type { EventScan } from '../../chain/scan.ts'
import type { IndexedEvent, StorePort } from '../../types/ports/store.ts'

/** UserOperationEvents of canonical blocks, both ends included, in chain order a version. @throws Unavailable */
export type Payments = (from: number, to: number) => Promise<readonly IndexedEvent[]>

/** Blocks that are read at once: of the index some milliseconds, of a node's logs a query or a few. */
const piece = 1_000
/** Blocks below the newest whose logs every node has; an older block whose logs are unknown is one that was pruned. */
const kept = 128

/** What the store's index has of those blocks. @throws Unavailable */
export function indexedPayments(
  { chainId, entryPoints }: { chainId: number; entryPoints: readonly Address[] },
  { store }: { store: Pick<StorePort, 'eventsBetween'> },
): Payments {
  return async (from, to) => {
    const ofVersions = entryPoints.map((entryPoint) => store.eventsBetween({ chainId, entryPoint, from, to }))
    return (await Promise.all(ofVersions)).flat()
  }
}

/** From the index where it has every block; else from the nodes' logs, as after a long absence. */
export function createPayments(
  { entryPoints }: { entryPoints: readonly Address[] },
  modules: { indexed: Payments; isIndexed: Coverage; scan: EventScan; log: Log },
): Payments {
  const { indexed, isIndexed, scan, log } = modules

  return async (from, to) => {
    const events: IndexedEvent[] = []
    for (let first = from; first <= to; first += piece)
      events.push(...(await read(first, Math.min(to, first + piece - 1), to)))
    return events
  }

  async function read(from: number, to: number, newest: number): Promise<readonly IndexedEvent[]> {
    if (await isIndexed(from, to)) return indexed(from, to)
    try {
      return await scan({ from, to, entryPoints })
    } catch (error) {
      if (!(error instanceof LogsUnknown) || newest - to < kept) throw error
      // What was paid there stays promised until it expires, and is not counted then.
      log.error('payments passed over', { from, to, error: describe(error) })
      return []
    }
  }
}
