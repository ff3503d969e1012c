import type { Client } from '@libsql/client'
import type { Metrics } from '../base/metrics.ts'
import { createBlockIndex } from './block-index.ts'
import { connect } from './client.ts'
import { createDatabase } from './database.ts'
import { GroupCommit } from './group-commit.ts'
import { startHeartbeat } from './heartbeat.ts'
import { type HeldLease, holdLease, type LeaseOptions } from './held-lease.ts'
import { createJournal } from './journal.ts'
import { migrate } from './migrations.ts'
import { createOperations } from './operations.ts'
import { createPaymasterStore } from './paymaster/paymaster-store.ts'
import type { Store, StoreHost, StoreOptions } from './protocol.ts'
import { createReputations } from './reputations.ts'
import { createRetention, type RetentionOptions } from './retention.ts'
import { meta } from './schema.ts'
import { CannotOpen, LeaseLost, withoutSecrets } from './store-error.ts'
import { countStore, measured } from './store-metrics.ts'
import { isDead, thisProcess } from './this-process.ts'

/** The store in this thread. @throws CannotOpen, LeaseHeld, NewerSchema */
export async function openStore(
  options: StoreOptions,
  { metrics, onFatal }: { metrics: Metrics; onFatal: (error: Error) => void },
): Promise<Store> {
  const host = { ...countStore(metrics), leaseLost: () => onFatal(new LeaseLost()) }
  return measured(await openUnmeasured(options, host), metrics)
}

/** The store for its own thread, whose metrics are counted elsewhere. @throws CannotOpen, LeaseHeld, NewerSchema */
export async function openUnmeasured(options: StoreOptions, host: StoreHost): Promise<Store> {
  const client = await connect(options)
  try {
    const lease = { duration: options.leaseDuration, holder: thisProcess(), isDead }
    return await createStore(client, { lease, retention: options.retention }, host)
  } catch (error) {
    client.close()
    throw error
  }
}

/** The store over a client of a database of any known schema. @throws CannotOpen, LeaseHeld, NewerSchema */
export async function createStore(
  client: Client,
  options: { lease: LeaseOptions; retention: RetentionOptions },
  host: StoreHost,
): Promise<Store> {
  const lease = await holdLease(client, options.lease).catch((error) => {
    if (error instanceof CannotOpen) throw error
    throw new CannotOpen(`the lease of the database cannot be taken: ${withoutSecrets(error)}`)
  })
  try {
    await migrate(client, (statements) => lease.commit(statements))
  } catch (error) {
    await lease.giveBack().catch(() => {})
    throw error
  }
  const commits = new GroupCommit({ commit: committing(lease, host), onCommit: host.committed })
  const stopHeartbeat = startHeartbeat(options.lease.duration, commits)
  const database = createDatabase(client, commits)
  const closing = new AbortController()
  const { query, write, read } = database

  return {
    ...createOperations(database),
    ...createJournal(database),
    ...createBlockIndex(database),
    ...createReputations(database),
    ...createPaymasterStore(database),

    prune: createRetention(options.retention, { client, database, signal: closing.signal }),

    async ping() {
      if (commits.failing) await write([query.insert(meta).values(probe).onConflictDoNothing()])
      else await read(() => query.select().from(meta).limit(1).all())
    },

    async close() {
      closing.abort()
      stopHeartbeat()
      await commits.flush()
      // A lease that is not given back ends by itself.
      await lease.giveBack().catch(() => {})
      if (client.protocol === 'file') await client.execute('pragma wal_checkpoint(truncate)')
      client.close()
    },
  }
}

/** Tells the host once when the lease is lost. */
function committing(lease: HeldLease, host: StoreHost): HeldLease['commit'] {
  let lost = false
  return async (statements) => {
    try {
      return await lease.commit(statements)
    } catch (error) {
      if (error instanceof LeaseLost && !lost) {
        lost = true
        host.leaseLost()
      }
      throw error
    }
  }
}

/** A disk may be full and still be read: after a failed write only a write tells that the store is back. */
const probe = { key: 'probe', value: '' }
