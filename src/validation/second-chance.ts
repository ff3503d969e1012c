import type { Context } from '../base/context.ts'
import { Unavailable } from '../base/errors.ts'
import { WorkQueue } from '../base/queue.ts'
import { factoryOf, paymasterOf, type UserOperation } from '../types/userop.ts'
import { type SimulatorThread, ThreadDied } from './simulator-thread.ts'

/** ms that who killed two threads is not let near a third. Its code will hardly be better before; ours may be mended. */
const ban = 600_000
/** Who is remembered; each took two threads to get here. */
const mostBanned = 1000
/** jobs that wait for their second chance: those of a thread or two */
const mostWaiting = 2000
const retryAfterMs = 1000
/** ms after which a job is not begun any more: nobody waits so long for a verdict */
const mostWait = 30_000

/** Whose code a job runs: jobs with equal ones do the same to a thread. */
export type Suspects = readonly string[]

/** A job about one operation or several. */
export type Suspicious = { chainId: number } & ({ op: UserOperation } | { ops: readonly UserOperation[] })

export function suspectsOf(job: Suspicious): Suspects {
  const ops = 'op' in job ? [job.op] : job.ops
  return ops.map((op) =>
    [job.chainId, op.sender, factoryOf(op) ?? '', paymasterOf(op) ?? ''].join(' ').toLowerCase(),
  )
}

export type SecondChances = {
  /** Whether one of them, alone, killed two threads not long ago. */
  areBanned(suspects: Suspects): boolean
  /**
   * Runs the job of a thread that died, in a thread that has no other job: if that dies too, nobody else is to blame,
   * and nobody else is lost. @throws ThreadDied then, Unavailable, LimitExceeded
   */
  retry<Result>(suspects: Suspects, call: (thread: SimulatorThread) => Promise<Result>): Promise<Result>
  stop(): void
}

/** @param modules.start a thread with all chains open, which is told when it dies */
export function createSecondChances({
  start,
  now = Date.now,
  log,
}: Pick<Context, 'log'> & {
  start: (onDeath: () => void) => Promise<SimulatorThread>
  /** ms */
  now?: () => number
}): SecondChances {
  const queue = new WorkQueue({ concurrency: 1, capacity: mostWaiting, retryAfterMs })
  /** Until when, in ms since 1970; the oldest first. */
  const banned = new Map<string, number>()
  let alone: SimulatorThread | undefined
  let waiting = 0
  let stopped = false

  return {
    areBanned: (suspects) => suspects.some((suspect) => (banned.get(suspect) ?? 0) > now()),

    async retry(suspects, call) {
      waiting += 1
      const since = now()
      try {
        return await queue.run(() => {
          if (now() - since > mostWait) throw new Unavailable('a second chance took too long to come')
          return attempt(suspects, call)
        })
      } finally {
        waiting -= 1
        if (waiting === 0) release()
      }
    },

    stop() {
      stopped = true
      release()
    },
  }

  async function attempt<Result>(
    suspects: Suspects,
    call: (thread: SimulatorThread) => Promise<Result>,
  ): Promise<Result> {
    if (stopped) throw new Unavailable('the simulators have stopped')
    alone ??= await start(() => {
      alone = undefined
    })
    try {
      return await call(alone)
    } catch (error) {
      if (error instanceof ThreadDied) convict(suspects)
      throw error
    }
  }

  /** Of several nobody can tell which it was. */
  function convict(suspects: Suspects): void {
    const [suspect, ...others] = suspects
    if (suspect === undefined || others.length > 0) return
    log.error('an operation killed two simulators', { suspect })
    banned.delete(suspect)
    banned.set(suspect, now() + ban)
    for (const oldest of banned.keys()) {
      if (banned.size <= mostBanned) break
      banned.delete(oldest)
    }
  }

  /** It is needed rarely, and its memory is tens of megabytes. */
  function release(): void {
    alone?.stop()
    alone = undefined
  }
}
