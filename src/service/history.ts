import { describe } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { StorePort } from '../types/ports/store.ts'

/** ms between passes over the history, which ages slowly; one that finds nothing costs a few reads. */
const interval = 60_000

/** Has the store forget old history now and every minute, one pass at a time. Gives what stops it. */
export function keepHistory({
  store,
  log,
  now,
}: {
  store: Pick<StorePort, 'prune'>
  log: Log
  now: () => number
}): () => void {
  let isRunning = false
  let stopped = false
  const pass = async () => {
    if (isRunning) return
    isRunning = true
    try {
      const { rows, bytes, usedBytes } = await store.prune({ now: now() })
      if (Object.values(rows).some((count) => count > 0))
        log.info('history pruned', { ...rows, bytes, usedBytes })
    } catch (error) {
      if (!stopped) log.warn('history not pruned', { error: describe(error) })
    }
    isRunning = false
  }
  const timer = setInterval(pass, interval)
  void pass()
  return () => {
    stopped = true
    clearInterval(timer)
  }
}
