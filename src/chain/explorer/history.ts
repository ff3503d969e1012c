import type { Address, Hash } from 'viem'
import type { Context } from '../../base/context.ts'
import { describe, type Json } from '../../base/errors.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { IndexedEvent } from '../../types/ports/store.ts'
import { eventsIn, readReceipts, userOperationEventTopic } from '../events.ts'
import type { ExplorerClient } from './client.ts'

/** ms for which an operation that the explorer does not know is not asked about again: wallets poll for receipts. */
const absenceHolds = 30_000
/** Absences remembered. */
const mostAbsences = 1000
/** Records asked for: an operation is included once, and each is checked with the node. */
const mostRecords = '5'

/** The UserOperationEvent of an operation from before `before`; `undefined` too when the explorer could not tell. */
export type ExplorerHistory = (query: { hash: Hash; before: number }) => Promise<IndexedEvent | undefined>

/** The explorer says which transaction it was; the event itself comes from the node's receipt of it. */
export function createExplorerHistory(
  { entryPoints, now }: { entryPoints: readonly Address[]; now: () => number },
  { explorer, node, log }: Pick<Context, 'log'> & { explorer: ExplorerClient; node: NodeClient },
): ExplorerHistory {
  const absentUntil = new Map<Hash, number>()

  return async ({ hash, before }) => {
    if ((absentUntil.get(hash) ?? 0) > now()) return undefined
    try {
      for (const entryPoint of entryPoints) {
        const event = await eventAt(entryPoint, hash, before)
        if (event !== undefined) return event
      }
      remember(hash)
    } catch (error) {
      log.debug('explorer could not tell', { operation: hash, error: describe(error) })
    }
    return undefined
  }

  async function eventAt(entryPoint: Address, hash: Hash, before: number): Promise<IndexedEvent | undefined> {
    const records = await explorer.ask({
      ...{ module: 'logs', action: 'getLogs', address: entryPoint, fromBlock: '0', toBlock: String(before) },
      ...{ topic0: userOperationEventTopic, topic0_1_opr: 'and', topic1: hash },
      ...{ page: '1', offset: mostRecords },
    })
    for (const transaction of transactionsIn(records)) {
      const [receipt] = await readReceipts([transaction], node)
      const event = receipt && eventsIn(receipt, entryPoint, node.chainId).find((one) => one.hash === hash)
      if (event !== undefined) return event
    }
    return undefined
  }

  function remember(hash: Hash): void {
    absentUntil.delete(hash)
    absentUntil.set(hash, now() + absenceHolds)
    const [oldest] = absentUntil.keys()
    if (absentUntil.size > mostAbsences && oldest !== undefined) absentUntil.delete(oldest)
  }
}

function transactionsIn(records: Json): readonly Hash[] {
  if (!Array.isArray(records)) return []
  return records.flatMap((record: Json) => {
    const hash = typeof record === 'object' && record !== null && 'transactionHash' in record
    const value = hash ? record.transactionHash : undefined
    return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value) ? [value as Hash] : []
  })
}
