import type { Context } from '../base/context.ts'
import { Unavailable } from '../base/errors.ts'
import { endpointPair, Link, type LinkOptions, type Remote } from '../base/threads.ts'
import { createWatchdog } from '../base/watchdog.ts'
import { workerUrl } from '../base/worker-url.ts'
import { createSimulatorHost, type SimulatorHandlers } from './simulator-host.ts'

/**
 * An estimate may take ten round trips to a slow node; half a minute without an answer means that the thread hangs.
 * The lanes of the simulators bound what a thread has to do; all of them full on one thread is still below this.
 */
export const simulatorLink: LinkOptions = { deadlineMs: 30_000, maxInFlight: 4000 }

/** The job was lost with its thread, and may be given to another. */
export class ThreadDied extends Unavailable {
  override readonly name = 'ThreadDied'
}

export type SimulatorThread = {
  readonly remote: Remote<SimulatorHandlers>
  readonly inFlight: number
  stop(): void
}

/** Starts a simulator; `onDeath` is called once if it ends by itself, after its open jobs failed with `ThreadDied`. */
export type SpawnSimulator = (onDeath: (reason: string) => void) => SimulatorThread

/** In a worker. `adopt` sees the worker, for whoever must reach it; `watch` tells when it hangs. */
export function spawnSimulatorWorker(
  adopt: (worker: Worker) => void = () => {},
  watch: typeof createWatchdog = createWatchdog,
): SpawnSimulator {
  return (onDeath) => {
    const worker = new Worker(workerUrl('simulator'))
    const link = new Link<SimulatorHandlers>(worker, {}, simulatorLink)
    let over = false
    const watchdog = watch(
      {
        get inFlight() {
          return link.inFlight
        },
        get heardAt() {
          return link.heardAt
        },
        ping: () => void link.remote.ping(undefined).catch(() => {}),
      },
      { onSilence: () => died('it hangs') },
    )
    function died(reason: string): void {
      if (over) return
      over = true
      watchdog.stop()
      worker.terminate()
      link.fail(new ThreadDied(`simulator died: ${reason}`))
      onDeath(reason)
    }
    worker.addEventListener('error', (event) => died(event.message))
    worker.addEventListener('close', () => died('it ended'))
    adopt(worker)
    return {
      remote: link.remote,
      get inFlight() {
        return link.inFlight
      },
      stop() {
        over = true
        watchdog.stop()
        worker.terminate()
        link.fail(new Unavailable('the simulators have stopped'))
      },
    }
  }
}

/** In this thread, with the same interface and the same cloning of messages. */
export function spawnSimulatorHere(context: Context): SpawnSimulator {
  return () => {
    const [ours, theirs] = endpointPair()
    const host = new Link(theirs, createSimulatorHost(context), simulatorLink)
    const link = new Link<SimulatorHandlers>(ours, {}, simulatorLink)
    return {
      remote: link.remote,
      get inFlight() {
        return link.inFlight
      },
      stop() {
        link.fail(new Unavailable('the simulators have stopped'))
        ours.onmessage = null
        host.endpoint.onmessage = null
      },
    }
  }
}
