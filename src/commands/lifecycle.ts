import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import { createLog, type LogLevel } from '../base/log.ts'
import { createMetrics } from '../base/metrics.ts'
import { createShutdown, type Shutdown } from '../base/shutdown.ts'

/**
 * ms that a stop has after a fatal error: without its store or submitter nothing can be brought to an end, and what
 * was acknowledged is stored.
 */
const fatalDeadline = 2_000

/** What a command that runs until it is stopped has around it. */
export type Lifecycle = Context & {
  shutdown: Shutdown
  /** Something that nothing works without is gone: the process stops, and its exit code says so. */
  onFatal: (error: Error) => void
  /** Resolves with the exit code when everything has stopped, after a signal or a fatal error. */
  stopped: Promise<number>
}

/** @param options.shutdownTimeout s */
export function createLifecycle(options: { logLevel: LogLevel; shutdownTimeout: number }): Lifecycle {
  const log = createLog({ level: options.logLevel })
  const shutdown = createShutdown({ deadlineMs: options.shutdownTimeout * 1000 }, { log })
  const { promise: stopped, resolve } = Promise.withResolvers<number>()
  const stop = (reason: string, exitCode: number) => {
    void shutdown.stop(reason).then(() => resolve(exitCode))
  }
  process.on('SIGTERM', () => stop('SIGTERM', 0))
  process.on('SIGINT', () => stop('SIGINT', 0))
  return {
    log,
    metrics: createMetrics(),
    shutdown,
    onFatal(error) {
      log.error('fatal', { error: describe(error) })
      const givenUp = setTimeout(() => resolve(1), fatalDeadline)
      void stopped.then(() => clearTimeout(givenUp))
      stop('fatal', 1)
    },
    stopped,
  }
}

/**
 * What went wrong at the start, as one line on standard error; nothing when it was told to stop. Gives the exit code.
 */
export async function failStart(error: unknown, { shutdown, stopped }: Lifecycle): Promise<number> {
  if (shutdown.signal.aborted) {
    await shutdown.stop('start given up')
    return stopped
  }
  process.stderr.write(`tandem: ${describe(error)}\n`)
  await shutdown.stop('start failed')
  return 1
}
