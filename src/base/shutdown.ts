import { describe } from './errors.ts'
import type { Log } from './log.ts'
import { withDeadline } from './queue.ts'

/**
 * Start and stop in one place. Steps run in reverse order of registration, as resources nest;
 * the whole stop has one deadline.
 */
export type Shutdown = {
  /** Aborted as soon as a stop is asked for: loops and waits end on it. */
  readonly signal: AbortSignal
  onStop(name: string, step: () => Promise<void> | void): void
  /** Runs the steps once; later calls wait for the same stop. A failing step is logged and does not keep the rest from running. */
  stop(reason: string): Promise<void>
}

export function createShutdown(options: { deadlineMs: number }, { log }: { log: Log }): Shutdown {
  const controller = new AbortController()
  const steps: { name: string; step: () => Promise<void> | void }[] = []
  let stopping: Promise<void> | undefined

  async function runSteps(reason: string): Promise<void> {
    log.info('stopping', { reason })
    controller.abort(reason)
    for (const { name, step } of steps.reverse()) {
      try {
        await step()
      } catch (error) {
        log.error('stop step failed', { step: name, error: describe(error) })
      }
    }
  }

  return {
    signal: controller.signal,
    onStop: (name, step) => {
      steps.push({ name, step })
    },
    stop(reason) {
      stopping ??= withDeadline(
        runSteps(reason),
        options.deadlineMs,
        () => new Error(`stop took longer than ${options.deadlineMs} ms`),
      ).catch((error) => log.error('stop incomplete', { error: describe(error) }))
      return stopping
    },
  }
}
