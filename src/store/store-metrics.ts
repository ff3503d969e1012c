import type { Metrics } from '../base/metrics.ts'
import { eachCall } from './calls.ts'
import type { Store, StoreHost } from './protocol.ts'

/** Counts what the store does. */
export function countStore(metrics: Metrics): Omit<StoreHost, 'leaseLost'> {
  const commits = metrics.counter('store_commits_total', 'Commits of the store.')
  const writes = metrics.counter('store_writes_total', 'Writes in those commits.')
  const seconds = metrics.histogram('store_commit_seconds', 'One commit, without the wait for its turn.')
  return {
    committed(report) {
      commits.inc()
      writes.inc(report.writes)
      seconds.observe(report.seconds)
    },
  }
}

/** Counts what callers of the store see. */
export function measured(store: Store, metrics: Metrics): Store {
  const depth = metrics.gauge('store_queue_depth', 'Calls of the store without an answer yet.')
  const writeSeconds = metrics.histogram('store_write_seconds', 'From a write to its commit.', ['call'])
  const readSeconds = metrics.histogram('store_read_seconds', 'From a question to its answer.', ['call'])
  const failures = metrics.counter('store_failures_total', 'Calls of the store that failed.', ['call'])

  const pruned = metrics.counter('store_pruned_rows_total', 'Rows of history that were forgotten.', ['table'])
  const bytes = metrics.gauge('store_bytes', 'Size of the database, without its log.')
  const used = metrics.gauge('store_used_bytes', 'Bytes of the database that hold something.')

  const seconds = { read: readSeconds, write: writeSeconds }

  return {
    ...eachCall((call, kind) => async (argument) => {
      const end = seconds[kind].startTimer({ call })
      depth.inc()
      try {
        return await store[call](argument)
      } catch (error) {
        failures.inc({ call })
        throw error
      } finally {
        depth.dec()
        end()
      }
    }),
    async prune(argument) {
      const outcome = await store.prune(argument)
      for (const [table, rows] of Object.entries(outcome.rows)) pruned.inc({ table }, rows)
      bytes.set(outcome.bytes)
      used.set(outcome.usedBytes)
      return outcome
    },
    close: store.close,
  }
}
