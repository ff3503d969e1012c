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
  /** Once a stop was asked for, the step runs as soon as it can: what was just started ends again. */
  onStop(name: string, step: () => Promise<void> | void): void
  /** Runs each step once; later calls wait for the same stop. A failing step is logged and does not keep the rest from running. */
  stop(reason: string): Promise<void>
}

export function createShutdown(options: { deadlineMs: number }, { log }: { log: Log }): Shutdown {
  const controller = new AbortController()
  const steps: { name: string; step: () => Promise<void> | void }[] = []
  let stopping: Promise<void> | undefined

  async function runSteps(reason: string): Promise<void> {
    log.info('stopping', { reason })
    controller.abort(reason)
    await runLeft()
  }

  async function runLeft(): Promise<void> {
    for (let last = steps.pop(); last !== undefined; last = steps.pop()) {
      const { name, step } = last
      try {
        await step()
      } catch (error) {
        log.error('stop step failed', { step: name, error: describe(error) })
      }
    }
  }

  function inTime(steps: Promise<void>): Promise<void> {
    const late = () => new Error(`stop took longer than ${options.deadlineMs} ms`)
    return withDeadline(steps, options.deadlineMs, late).catch((error) =>
      log.error('stop incomplete', { error: describe(error) }),
    )
  }

  return {
    signal: controller.signal,
    onStop: (name, step) => {
      steps.push({ name, step })
      if (stopping !== undefined) stopping = stopping.then(() => inTime(runLeft()))
    },
    stop(reason) {
      stopping ??= inTime(runSteps(reason))
      return stopping
    },
  }
}
