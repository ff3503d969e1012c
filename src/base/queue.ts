import { LimitExceeded } from './errors.ts'

/** Resolves as `promise` does, or rejects with `onTimeout()` after `ms` milliseconds. */
export function withDeadline<T>(promise: Promise<T>, ms: number, onTimeout: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** A promise with its handles outside, for waits that an event ends. */
export type Deferred<T> = {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (error: unknown) => void
}

export function deferred<T>(): Deferred<T> {
  return Promise.withResolvers<T>()
}

/** Runs at most `concurrency` tasks at once and keeps at most `capacity` waiting; more is refused at once. */
export class WorkQueue {
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(readonly options: { concurrency: number; capacity: number; retryAfterMs: number }) {}

  get depth(): number {
    return this.#running + this.#waiting.length
  }

  /** @throws LimitExceeded when the queue is full. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.options.concurrency) {
      if (this.#waiting.length >= this.options.capacity) {
        throw new LimitExceeded('limit exceeded', { retryAfterMs: this.options.retryAfterMs })
      }
      const turn = deferred<void>()
      this.#waiting.push(turn.resolve)
      await turn.promise
    } else this.#running += 1
    try {
      return await task()
    } finally {
      this.#handOn()
    }
  }

  /** The place goes to the next in line without ever being free, so that no newcomer takes it in between. */
  #handOn(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running -= 1
    else next()
  }
}

/** Runs tasks with the same key one after the other, tasks of different keys side by side. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>()

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key) ?? Promise.resolve()
    const next = previous.then(task, task)
    const tail = next.catch(() => {})
    this.#tails.set(key, tail)
    tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
    return next
  }
}
