import type { InStatement } from '@libsql/client'
import { LimitExceeded } from '../base/errors.ts'
import { type Deferred, deferred } from '../base/queue.ts'
import { isStatementFault, storeFailure } from './store-error.ts'

/** Writes that may wait: about two seconds of work for a local file. */
const capacity = 20_000

/** Writes in one commit: about 10 ms for a local file, so that reads get their turn in between. */
const groupSize = 512

/** What one commit was, for the metrics. */
export type CommitReport = { writes: number; seconds: number }

type Write = { statements: readonly InStatement[]; done: Deferred<readonly number[]> }

/**
 * Commits what was written meanwhile together: a disk or a server takes as long for one write as for hundreds.
 * Writes are committed in order, each as a whole.
 */
export class GroupCommit {
  readonly #waiting: Write[] = []
  #running: Promise<void> | undefined
  #failing = false

  constructor(
    readonly modules: {
      /** One transaction; gives the rows that each statement changed. */
      commit: (statements: readonly InStatement[]) => Promise<readonly number[]>
      onCommit: (report: CommitReport) => void
    },
  ) {}

  /** The last commit failed by trouble of the store, and none has succeeded since. */
  get failing(): boolean {
    return this.#failing
  }

  /** Resolves after the commit, with the rows that each statement changed. @throws LimitExceeded, Unavailable */
  async write(statements: readonly InStatement[]): Promise<readonly number[]> {
    if (this.#waiting.length >= capacity) throw new LimitExceeded('limit exceeded', { retryAfterMs: 1000 })
    const done = deferred<readonly number[]>()
    this.#waiting.push({ statements, done })
    this.#running ??= this.#run()
    return done.promise
  }

  /** Resolves when nothing waits. */
  async flush(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await messagesHandled()
      await this.#commit(this.#waiting.splice(0, groupSize))
    }
    this.#running = undefined
  }

  /** Never throws: each write hears its own outcome. */
  async #commit(group: readonly Write[]): Promise<void> {
    const started = performance.now()
    let changed: readonly number[]
    try {
      changed = await this.modules.commit(group.flatMap((write) => write.statements))
    } catch (error) {
      if (group.length > 1 && isStatementFault(error)) {
        for (const write of group) await this.#commit([write])
        return
      }
      this.#failing = !isStatementFault(error)
      for (const { done } of group) done.reject(storeFailure('write', error))
      return
    }
    this.#failing = false
    this.modules.onCommit({ writes: group.length, seconds: (performance.now() - started) / 1000 })
    let first = 0
    for (const { statements, done } of group) {
      done.resolve(changed.slice(first, first + statements.length))
      first += statements.length
    }
  }
}

/** A local commit blocks this thread; what arrived in that time joins the next group. */
function messagesHandled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
