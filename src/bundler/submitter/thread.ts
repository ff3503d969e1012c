import type { Context } from '../../base/context.ts'
import { Unavailable } from '../../base/errors.ts'
import type { LogLevel } from '../../base/log.ts'
import { type Handlers, Link, type LinkOptions } from '../../base/threads.ts'
import { workerUrl } from '../../base/worker-url.ts'
import type { SubmitterHost } from '../../types/ports/submitter.ts'
import type { RunningSubmitter } from './submitter.ts'

export type SubmitterThreadOptions = {
  logLevel: LogLevel
}

/**
 * Both ways. A head may take the time-outs of several nodes, one after the other; a minute without an answer means
 * that the other side hangs. A chain has a call in flight for each relayer and one for heads.
 */
export const submitterLink: LinkOptions = { deadlineMs: 60_000, maxInFlight: 10_000 }

export type SubmitterHandlers = Omit<RunningSubmitter, 'stop'> & {
  /** The first call: what the thread needs before any other. */
  configure(options: SubmitterThreadOptions): void
}

/**
 * The submitter in a thread of its own. Relayers' keys are handed over by `open`, wallets'
 * by `openWallet`, and stay there. `onFatal`: the thread
 * ended by itself; what it knew is in the journal, so end the process and start anew.
 */
export async function startSubmitterThread(
  options: SubmitterThreadOptions,
  host: SubmitterHost,
  { log, onFatal }: Pick<Context, 'log'> & { onFatal: (error: Error) => void },
): Promise<RunningSubmitter> {
  const worker = new Worker(workerUrl('submitter'))
  const link = new Link<SubmitterHandlers & Handlers>(worker, { ...host }, submitterLink)
  let stopping = false

  function died(reason: string): void {
    if (stopping) return
    stopping = true
    const error = new Unavailable(`submitter thread died: ${reason}`)
    log.error('submitter thread died', { reason })
    link.fail(error)
    onFatal(error)
  }
  worker.addEventListener('error', (event) => died(event.message))
  worker.addEventListener('close', () => died('it ended'))

  await link.remote.configure(options)
  const { open, submit, openWallet, sendFromWallet, onHead, report, drain } = link.remote
  return {
    open,
    submit,
    openWallet,
    sendFromWallet,
    onHead,
    report,
    drain,
    async stop() {
      stopping = true
      worker.terminate()
      link.fail(new Unavailable('the submitter has stopped'))
    },
  }
}
