import type { Client } from '@libsql/client'
import type { Metrics } from '../base/metrics.ts'
import type { StorePort } from '../types/ports/store.ts'
import { createBlockIndex } from './block-index.ts'
import { connect, type StoreOptions } from './client.ts'
import { createDatabase } from './database.ts'
import { type CommitReport, GroupCommit } from './group-commit.ts'
import { createJournal } from './journal.ts'
import { migrate } from './migrations.ts'
import { createOperations } from './operations.ts'
import { createReputations } from './reputations.ts'
import { meta } from './schema.ts'
import { countCommits, measured } from './store-metrics.ts'

/** The store in this thread. @throws CannotOpen, NewerSchema */
export async function openStore(
  options: StoreOptions,
  { metrics }: { metrics: Metrics },
): Promise<StorePort> {
  return measured(await openUnmeasured(options, countCommits(metrics)), metrics)
}

/** The store for its own thread, whose metrics are counted elsewhere. @throws CannotOpen, NewerSchema */
export async function openUnmeasured(
  options: StoreOptions,
  onCommit: (report: CommitReport) => void,
): Promise<StorePort> {
  const client = await connect(options)
  try {
    return await createStore(client, onCommit)
  } catch (error) {
    client.close()
    throw error
  }
}

/** The store over a client of a database of any known schema. @throws CannotOpen, NewerSchema */
export async function createStore(
  client: Client,
  onCommit: (report: CommitReport) => void,
): Promise<StorePort> {
  await migrate(client)
  const commits = new GroupCommit({ commit: (statements) => client.batch(statements, 'write'), onCommit })
  const database = createDatabase(client, commits)
  const { query, write, read } = database

  return {
    ...createOperations(database),
    ...createJournal(database),
    ...createBlockIndex(database),
    ...createReputations(database),

    async ping() {
      if (commits.failing) await write([query.insert(meta).values(probe).onConflictDoNothing()])
      else await read(() => query.select().from(meta).limit(1).all())
    },

    async close() {
      await commits.flush()
      if (client.protocol === 'file') await client.execute('pragma wal_checkpoint(truncate)')
      client.close()
    },
  }
}

/** A disk may be full and still be read: after a failed write only a write tells that the store is back. */
const probe = { key: 'probe', value: '' }
