import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { type Client, createClient } from '@libsql/client'
import { createStore } from '../../src/store/store.ts'
import type { StorePort } from '../../src/types/ports/store.ts'
import { address, chainId, event, hash, transaction } from './builders.ts'
import { lonely, silent } from './places.ts'

/** How SQLite goes about each read: by what it searches, so that no read walks through all that a chain ever had. */
test.each<[string, (store: StorePort) => Promise<unknown>, string[]]>([
  [
    'operation',
    (store) => store.operation({ chainId, hash: hash(1) }),
    ['SEARCH operations USING INDEX sqlite_autoindex_operations_1 (chain_id=? AND hash=?)'],
  ],
  [
    'openOperations',
    (store) => store.openOperations({ chainId }),
    ['SEARCH operations USING INDEX operations_open (chain_id=? AND received_at>?)'],
  ],
  [
    'openBundles',
    (store) => store.openBundles({ chainId }),
    ['SEARCH bundles USING INDEX bundles_unsettled (chain_id=? AND rowid>?)'],
  ],
  [
    'openBundles, of one that is open,',
    async (store) => {
      await store.journal({ transaction: transaction(), operations: [hash(1)] })
      await store.openBundles({ chainId })
    },
    [
      'SEARCH bundle_transactions USING INDEX bundle_transactions_bundle (chain_id=? AND bundle_id=?)',
      'USE TEMP B-TREE FOR ORDER BY',
    ],
  ],
  [
    'fundings',
    (store) => store.fundings({ chainId, since: 0 }),
    [
      'SEARCH bundle_transactions USING INDEX bundle_transactions_bundle (chain_id=? AND bundle_id>? AND bundle_id<?)',
    ],
  ],
  [
    'indexedBlocks',
    (store) => store.indexedBlocks({ chainId, limit: 10 }),
    ['SEARCH indexed_blocks USING INDEX sqlite_autoindex_indexed_blocks_1 (chain_id=?)'],
  ],
  [
    'event',
    (store) => store.event({ chainId, hash: hash(1) }),
    ['SEARCH events USING INDEX events_operation (chain_id=? AND hash=?)'],
  ],
  [
    'receipt',
    (store) => store.receipt({ chainId, transactionHash: hash(1) }),
    ['SEARCH receipts USING INDEX sqlite_autoindex_receipts_1 (chain_id=? AND transaction_hash=?)'],
  ],
  [
    'eventsBetween',
    (store) => store.eventsBetween({ chainId, entryPoint: address(1), from: 1, to: 9 }),
    [
      'SEARCH events USING INDEX sqlite_autoindex_events_1 (chain_id=? AND block_number>? AND block_number<?)',
    ],
  ],
])('%s reads by index', async (_, read, plan) => {
  const { client, last } = recordingClient()
  await read(await createStore(client, lonely, silent))
  const asked = last()
  const copy = await copyOf(client)
  const steps = copy.query<{ detail: string }, []>(`explain query plan ${asked}`).all()
  expect(steps.map(({ detail }) => detail)).toEqual(plan)
})

test('a pass over the history reads by index, in the order of age', async () => {
  const { client, deletions } = recordingClient()
  const store = await createStore(client, lonely, silent)
  const { block } = event()
  await store.indexBlock({ chainId, block: { ...block, number: 100 }, events: [], receipts: [] })
  await store.prune({ now: 0 })
  deletions.length = 0
  await store.prune({ now: 2e15 })
  const copy = await copyOf(client)
  const steps = deletions.flatMap((sql) =>
    copy.query<{ detail: string }, []>(`explain query plan ${sql}`).all(),
  )
  const scans = steps.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN'))
  // The bundles are few: those of one pass, by rowid.
  expect(new Set(scans)).toEqual(new Set(['SCAN bundles']))
  expect(deletions).toHaveLength(11)
})

async function copyOf(client: Client): Promise<Database> {
  const schema = await client.execute('select sql from sqlite_master where sql is not null')
  const copy = new Database(':memory:')
  for (const { sql } of schema.rows) copy.run(String(sql))
  return copy
}

/** A client of a database in memory that remembers the last statement with arguments, and deletions. */
function recordingClient() {
  const real = createClient({ url: ':memory:' })
  let last = ''
  const deletions: string[] = []
  const client: Client = new Proxy(real, {
    get(target, name: keyof Client) {
      if (name === 'execute') return execute
      if (name === 'batch') return batch
      const member = target[name]
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  function execute(statement: string | { sql: string; args: never[] }) {
    if (typeof statement !== 'string') last = statement.sql
    return real.execute(statement)
  }
  function batch(...[statements, mode]: Parameters<Client['batch']>) {
    for (const statement of statements)
      if (typeof statement === 'object' && 'sql' in statement && statement.sql.startsWith('delete'))
        deletions.push(statement.sql)
    return real.batch(statements, mode)
  }
  return { client, last: () => last, deletions }
}
