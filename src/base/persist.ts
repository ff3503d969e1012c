import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from './errors.ts'
import type { Log } from './log.ts'

/** ms between attempts: an outage ends in seconds, and a node or store that is down must not be hammered. */
const pause = 500

/**
 * Repeats `task` until it succeeds: for steps that must happen and whose failure is somebody's outage.
 * @throws the last error once `signal` is aborted
 */
export async function persist<T>(
  name: string,
  task: () => Promise<T>,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<T> {
  for (;;) {
    try {
      return await task()
    } catch (error) {
      if (signal.aborted) throw error
      log.warn('trying again', { step: name, error: describe(error) })
      // Ends early when the signal is aborted; what then counts is the error above.
      await sleep(pause, undefined, { signal }).catch(() => {})
      if (signal.aborted) throw error
    }
  }
}
