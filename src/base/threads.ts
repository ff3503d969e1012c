import { type ErrorWire, fromWire, LimitExceeded, NoAnswer, toWire, Unavailable } from './errors.ts'

/** What a side offers: named functions of one plain argument. Values must survive structured clone. */
// biome-ignore lint/suspicious/noExplicitAny: the bound of a generic; every use names exact types.
export type Handlers = { [name: string]: (argument: any) => unknown }

/** The other side's handlers, as promises. Rejections are `TandemError`s. */
export type Remote<H extends Handlers> = {
  [Name in keyof H]: (argument: Parameters<H[Name]>[0]) => Promise<Awaited<ReturnType<H[Name]>>>
}

/** The other side's handlers, for what wants no answer: nobody hears whether it came. */
export type Told<H extends Handlers> = { [Name in keyof H]: (argument: Parameters<H[Name]>[0]) => void }

/** What `Worker`, `MessagePort` and a worker's own global scope have in common. */
export type Endpoint = {
  postMessage(message: unknown): void
  onmessage: ((event: MessageEvent) => void) | null
}

type Call = { id: number; name: string; argument: unknown }
type Note = Omit<Call, 'id'>
type Reply = { id: number; ok: unknown } | { id: number; error: ErrorWire }
type Parcel = { calls?: Call[]; notes?: Note[]; replies?: Reply[] }

export type LinkOptions = {
  /** A call without an answer for this long fails as unavailable, in ms. */
  deadlineMs: number
  /** More unanswered calls than this are refused at once with "limit exceeded". */
  maxInFlight: number
}

/**
 * Two threads calling each other: a worker is a set of functions that happens to be elsewhere.
 * Calls, notes and replies of one tick travel in one message.
 */
export class Link<Theirs extends Handlers> {
  readonly remote: Remote<Theirs>
  /** Spares the other side an answer, and this thread being woken by it. */
  readonly tell: Told<Theirs>
  #heardAt = 0
  #nextId = 1
  #outbox: Parcel | undefined
  readonly #pending = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void; timer: Timer }
  >()

  constructor(
    readonly endpoint: Endpoint,
    readonly handlers: Handlers,
    readonly options: LinkOptions,
  ) {
    endpoint.onmessage = (event) => this.#receive(event.data as Parcel)
    this.remote = new Proxy({} as Remote<Theirs>, {
      get: (_target, name) =>
        name === 'then' ? undefined : (argument: unknown) => this.#call(String(name), argument),
    })
    this.tell = new Proxy({} as Told<Theirs>, {
      get: (_target, name) => (argument: unknown) => this.#post('notes', { name: String(name), argument }),
    })
  }

  get inFlight(): number {
    return this.#pending.size
  }

  /** ms since the process began: when the last message came */
  get heardAt(): number {
    return this.#heardAt
  }

  /** Fails every open call, as when the other thread died. */
  fail(cause: Error): void {
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer)
      reject(cause)
    }
    this.#pending.clear()
  }

  #call(name: string, argument: unknown): Promise<unknown> {
    if (this.#pending.size >= this.options.maxInFlight) {
      return Promise.reject(new LimitExceeded('limit exceeded', { retryAfterMs: 1000 }))
    }
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      const timer = setTimeout(() => {
        this.#pending.delete(id)
        reject(new NoAnswer(`thread did not answer ${name} in time`))
      }, this.options.deadlineMs)
      this.#pending.set(id, { resolve, reject, timer })
      this.#post('calls', { id, name, argument })
    })
  }

  #receive(parcel: Parcel): void {
    this.#heardAt = performance.now()
    for (const call of parcel.calls ?? []) void this.#serve(call)
    for (const note of parcel.notes ?? []) void this.#hear(note)
    for (const reply of parcel.replies ?? []) this.#settle(reply)
  }

  async #serve({ id, name, argument }: Call): Promise<void> {
    try {
      this.#post('replies', { id, ok: await this.#handle({ name, argument }) })
    } catch (error) {
      this.#post('replies', { id, error: toWire(error) })
    }
  }

  /** What it fails with is for nobody. */
  async #hear(note: Note): Promise<void> {
    try {
      await this.#handle(note)
    } catch {}
  }

  #handle({ name, argument }: Note): unknown {
    const handler = this.handlers[name]
    if (handler === undefined) throw new Unavailable(`no handler ${name}`)
    return handler(argument)
  }

  #settle(reply: Reply): void {
    const open = this.#pending.get(reply.id)
    if (open === undefined) return
    this.#pending.delete(reply.id)
    clearTimeout(open.timer)
    if ('error' in reply) open.reject(fromWire(reply.error))
    else open.resolve(reply.ok)
  }

  #post(kind: 'calls', item: Call): void
  #post(kind: 'notes', item: Note): void
  #post(kind: 'replies', item: Reply): void
  #post(kind: keyof Parcel, item: Call | Note | Reply): void {
    if (this.#outbox === undefined) {
      this.#outbox = {}
      queueMicrotask(() => {
        const parcel = this.#outbox ?? {}
        this.#outbox = undefined
        this.#send(parcel)
      })
    }
    const items: (Call | Note | Reply)[] = this.#outbox[kind] ?? []
    items.push(item)
    Object.assign(this.#outbox, { [kind]: items })
  }

  /** An item that cannot be cloned fails alone; the others of its message then travel one by one. */
  #send(parcel: Parcel): void {
    try {
      this.endpoint.postMessage(parcel)
    } catch (error) {
      const { calls = [], notes = [], replies = [] } = parcel
      if (calls.length + notes.length + replies.length > 1) {
        for (const call of calls) this.#send({ calls: [call] })
        for (const note of notes) this.#send({ notes: [note] })
        for (const reply of replies) this.#send({ replies: [reply] })
        return
      }
      for (const { id } of calls) this.#settle({ id, error: toWire(error) })
      for (const { id } of replies) this.#send({ replies: [{ id, error: toWire(error) }] })
    }
  }
}

/** Two endpoints in one thread, for `simulators: 0` and tests. Messages are cloned as between threads. */
export function endpointPair(): [Endpoint, Endpoint] {
  const { port1, port2 } = new MessageChannel()
  return [port1, port2]
}
