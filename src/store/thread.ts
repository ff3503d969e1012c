import { Unavailable } from '../base/errors.ts'
import type { Metrics } from '../base/metrics.ts'
import { Link } from '../base/threads.ts'
import { workerUrl } from '../base/worker-url.ts'
import { NewerSchema } from './migrations.ts'
import {
  answerDeadline,
  maxInFlight,
  type Opened,
  type Store,
  type StoreHost,
  type StoreOptions,
  type StoreThread,
} from './protocol.ts'
import { CannotOpen, LeaseLost } from './store-error.ts'
import { countStore, measured } from './store-metrics.ts'

type Modules = {
  metrics: Metrics
  /** The thread died, or the database is another process's now: nothing can be acknowledged any more. */
  onFatal: (error: Error) => void
  /** Ends the opening, which may have to wait for the lease. */
  signal: AbortSignal
}

/** The store in a thread of its own, until `close`. @throws CannotOpen, NewerSchema */
export function startStoreThread(options: StoreOptions, modules: Modules): Promise<Store> {
  return openIn(new Worker(workerUrl('store')), options, modules)
}

/** The store in `worker`, which is ended with it. @throws CannotOpen, NewerSchema */
export async function openIn(
  worker: Worker,
  options: StoreOptions,
  { metrics, onFatal, signal }: Modules,
): Promise<Store> {
  const host: StoreHost = { ...countStore(metrics), leaseLost: () => onFatal(new LeaseLost()) }
  const link = new Link<StoreThread>(worker, host, { deadlineMs: answerDeadline, maxInFlight })
  let phase: 'opening' | 'serving' | 'ended' = 'opening'

  const died = (reason: string) => {
    if (phase === 'ended') return
    const error = new Unavailable(`store thread died: ${reason}`)
    const fatal = phase === 'serving'
    end()
    link.fail(error)
    if (fatal) onFatal(error)
  }
  worker.addEventListener('error', (event) => died(event.message))
  worker.addEventListener('close', () => died('it ended'))

  function end(): void {
    phase = 'ended'
    worker.terminate()
  }

  const givenUp = () => died('the start was given up')
  signal.addEventListener('abort', givenUp)
  try {
    check(await link.remote.open(options))
  } catch (error) {
    end()
    throw error
  } finally {
    signal.removeEventListener('abort', givenUp)
  }
  phase = 'serving'
  return {
    ...measured(link.remote, metrics),
    async close() {
      if (phase === 'ended') return
      try {
        await link.remote.close(undefined)
      } finally {
        end()
      }
    },
  }
}

function check(opened: Opened): void {
  switch (opened.kind) {
    case 'open':
      return
    case 'newer-schema':
      throw new NewerSchema(opened.found)
    case 'cannot-open':
      throw new CannotOpen(opened.reason)
  }
}
