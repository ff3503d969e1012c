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
      await Promise.race([Bun.sleep(pause), aborted(signal)])
      if (signal.aborted) throw error
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
