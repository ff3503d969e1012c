import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { type Client, createClient } from '@libsql/client'
import { createStore } from '../../src/store/store.ts'
import type { StorePort } from '../../src/types/ports/store.ts'
import { address, chainId, hash } from './builders.ts'
import { lonely, silent } from './places.ts'

/** How SQLite goes about each read: by what it searches, so that no read walks through all that a chain ever had. */
test.each<[keyof StorePort, (store: StorePort) => Promise<unknown>, string[]]>([
  [
    'operation',
    (store) => store.operation({ chainId, hash: hash(1) }),
    ['SEARCH operations USING INDEX sqlite_autoindex_operations_1 (chain_id=? AND hash=?)'],
  ],
  [
    'openOperations',
    (store) => store.openOperations({ chainId }),
    ['SEARCH operations USING INDEX operations_open (chain_id=?)'],
  ],
  [
    'openBundles',
    (store) => store.openBundles({ chainId }),
    [
      'SEARCH bundles USING INDEX bundles_unsettled (chain_id=?)',
      'SEARCH bundle_transactions USING INDEX bundle_transactions_bundle (chain_id=? AND bundle_id=?)',
      'USE TEMP B-TREE FOR ORDER BY',
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
  const schema = await client.execute('select sql from sqlite_master where sql is not null')
  const copy = new Database(':memory:')
  const asked = last()
  for (const { sql } of schema.rows) copy.run(String(sql))
  const steps = copy.query<{ detail: string }, []>(`explain query plan ${asked}`).all()
  expect(steps.map(({ detail }) => detail)).toEqual(plan)
})

/** A client of a database in memory that remembers the last statement with arguments. */
function recordingClient() {
  const real = createClient({ url: ':memory:' })
  let last = ''
  const client: Client = new Proxy(real, {
    get(target, name: keyof Client) {
      if (name === 'execute') return execute
      const member = target[name]
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  function execute(statement: string | { sql: string; args: never[] }) {
    if (typeof statement !== 'string') last = statement.sql
    return real.execute(statement)
  }
  return { client, last: () => last }
}
