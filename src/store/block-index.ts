import { and, asc, between, desc, eq, lte, sql } from 'drizzle-orm'
import type { BlockRef } from '../types/block.ts'
import type { IndexedEvent, StorePort } from '../types/ports/store.ts'
import type { Database } from './database.ts'
import { allPages } from './pages.ts'
import { events, indexedBlocks, receipts } from './schema.ts'

type BlockIndex = Pick<
  StorePort,
  'indexBlock' | 'removeBlocks' | 'indexedBlocks' | 'event' | 'receipt' | 'eventsBetween'
>
type EventRow = typeof events.$inferSelect

/**
 * Blocks of a chain that stay listed as indexed. Readers ask for `receiptLookupRange` (1024 by default) and for the
 * reorg depth, both less; an older block is rather asked of the node. Its events and receipts stay.
 */
const blocksKept = 4096

/** Events in one answer: about 3 MB. */
const eventPage = 4096

/** What canonical blocks brought. */
export function createBlockIndex({ query, write, read }: Database): BlockIndex {
  const ofChain = { chainId: sql.placeholder('chainId') }
  const newest = query
    .select({ number: indexedBlocks.number, hash: indexedBlocks.hash })
    .from(indexedBlocks)
    .where(eq(indexedBlocks.chainId, ofChain.chainId))
    .orderBy(desc(indexedBlocks.number))
    .limit(sql.placeholder('limit'))
    .prepare()
  const eventOf = query
    .select()
    .from(events)
    .where(and(eq(events.chainId, ofChain.chainId), eq(events.hash, sql.placeholder('hash'))))
    .orderBy(desc(events.blockNumber))
    .limit(1)
    .prepare()
  const receiptOf = query
    .select({ receipt: receipts.receipt })
    .from(receipts)
    .where(
      and(
        eq(receipts.chainId, ofChain.chainId),
        eq(receipts.transactionHash, sql.placeholder('transactionHash')),
      ),
    )
    .prepare()

  return {
    async indexBlock({ chainId, block, events: found, receipts: read }) {
      const { number, hash } = block
      const expired = and(eq(indexedBlocks.chainId, chainId), lte(indexedBlocks.number, number - blocksKept))
      await write([
        ...deleteNumber(chainId, number),
        query.insert(indexedBlocks).values({ chainId, number, hash }),
        query.delete(indexedBlocks).where(expired),
        ...found.map((event) => query.insert(events).values(rowOf(event))),
        ...read.map((receipt) => {
          const { transactionHash } = receipt
          const row = { chainId, transactionHash, blockNumber: number, blockHash: hash, receipt }
          const target = [receipts.chainId, receipts.transactionHash]
          return query.insert(receipts).values(row).onConflictDoUpdate({ target, set: row })
        }),
      ])
    },

    async removeBlocks({ chainId, blocks }) {
      await write(blocks.flatMap((block) => deleteBlock(chainId, block)))
    },

    indexedBlocks: (argument) => read(() => newest.all(argument)),

    event: ({ chainId, hash }) =>
      read(async () => {
        const row = await eventOf.get({ chainId, hash: hash.toLowerCase() })
        return row && eventFrom(row)
      }),

    receipt: ({ chainId, transactionHash }) =>
      read(async () => {
        const row = await receiptOf.get({ chainId, transactionHash: transactionHash.toLowerCase() })
        return row?.receipt
      }),

    eventsBetween: ({ chainId, entryPoint, from, to }) =>
      read(async () => {
        const rows = await allPages<EventRow>(eventPage, (last) =>
          query
            .select()
            .from(events)
            .where(
              and(
                eq(events.chainId, chainId),
                between(events.blockNumber, last?.blockNumber ?? from, to),
                eq(events.entryPoint, entryPoint),
                last &&
                  sql`(${events.blockNumber}, ${events.logIndex}) > (${last.blockNumber}, ${last.logIndex})`,
              ),
            )
            .orderBy(asc(events.blockNumber), asc(events.logIndex))
            .limit(eventPage)
            .all(),
        )
        return rows.map(eventFrom)
      }),
  }

  /** A number has one canonical block: what was known of another one, or of the same one, makes room. */
  function deleteNumber(chainId: number, number: number) {
    return [
      query.delete(events).where(and(eq(events.chainId, chainId), eq(events.blockNumber, number))),
      query.delete(receipts).where(and(eq(receipts.chainId, chainId), eq(receipts.blockNumber, number))),
      query
        .delete(indexedBlocks)
        .where(and(eq(indexedBlocks.chainId, chainId), eq(indexedBlocks.number, number))),
    ]
  }

  function deleteBlock(chainId: number, { number, hash }: BlockRef) {
    const inBlock = <Table extends typeof events | typeof receipts>(table: Table) =>
      and(eq(table.chainId, chainId), eq(table.blockNumber, number), eq(table.blockHash, hash))
    const listed = and(
      eq(indexedBlocks.chainId, chainId),
      eq(indexedBlocks.number, number),
      eq(indexedBlocks.hash, hash),
    )
    return [
      query.delete(events).where(inBlock(events)),
      query.delete(receipts).where(inBlock(receipts)),
      query.delete(indexedBlocks).where(listed),
    ]
  }
}

function rowOf({ block, paymaster, ...event }: IndexedEvent): EventRow {
  return { ...event, paymaster: paymaster ?? null, blockNumber: block.number, blockHash: block.hash }
}

function eventFrom({ blockNumber, blockHash, paymaster, ...row }: EventRow): IndexedEvent {
  return { ...row, paymaster: paymaster ?? undefined, block: { number: blockNumber, hash: blockHash } }
}
