/** An error as it travels in JSON-RPC answers and between threads (JSON-RPC 2.0 §5.1). */
export type ErrorWire = { code: number; message: string; data?: ErrorData }

/** Plain JSON that explains an error to a program; never a secret, never a stack. */
export type ErrorData = { readonly [key: string]: Json | undefined }
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/**
 * The one family of errors that callers may see. Everything else is our own fault and is shown as -32603.
 * Subclasses are a few lines each and live next to what throws them.
 */
export class TandemError extends Error {
  override readonly name: string = 'TandemError'

  constructor(
    readonly code: number,
    message: string,
    readonly data?: ErrorData,
  ) {
    super(message)
  }
}

/** -32602: the caller can fix the request. `path` names the field, such as `params[0].callData`. */
export class InvalidParams extends TandemError {
  override readonly name = 'InvalidParams'
  constructor(message: string, data?: ErrorData & { path?: string }) {
    super(-32602, message, data)
  }
}

/** -32005: a rate, a queue or a pool is full; the caller may try again after `retryAfterMs`. */
export class LimitExceeded extends TandemError {
  override readonly name = 'LimitExceeded'
  readonly retryAfterMs: number
  constructor(message: string, data: ErrorData & { retryAfterMs: number }) {
    super(-32005, message, data)
    this.retryAfterMs = data.retryAfterMs
  }
}

/**
 * -32603: we could not tell (node, store or thread trouble). Never a verdict about the operation.
 * The cause goes to the log; the caller sees a fixed text and `data.logId`.
 */
export class Unavailable extends TandemError {
  override readonly name: string = 'Unavailable'
  /** What callers may know of it. */
  readonly told: string | undefined
  constructor(
    readonly what: string,
    options?: { cause?: unknown; told?: string },
  ) {
    super(-32603, options?.told ?? 'Internal error')
    this.cause = options?.cause
    this.told = options?.told
  }
}

/** Another thread did not answer in time: what was asked for may or may not have happened, or happen yet. */
export class NoAnswer extends Unavailable {
  override readonly name = 'NoAnswer'
}

/** The form that crosses a thread. An error outside the family keeps its text only for our own log. */
export function toWire(error: unknown): ErrorWire {
  if (error instanceof Unavailable)
    return { code: error.code, message: error.message, data: { what: error.what } }
  if (error instanceof TandemError) {
    return error.data === undefined
      ? { code: error.code, message: error.message }
      : { code: error.code, message: error.message, data: error.data }
  }
  return { code: -32603, message: 'Internal error', data: { what: describe(error) } }
}

/** The inverse of `toWire`. */
export function fromWire(wire: ErrorWire): TandemError {
  if (wire.code === -32603) return new Unavailable(String(wire.data?.what ?? wire.message))
  return new TandemError(wire.code, wire.message, wire.data)
}

/** One line about anything thrown, for our own logs. */
export function describe(error: unknown): string {
  if (error instanceof Unavailable)
    return error.cause ? `${error.what}: ${describe(error.cause)}` : error.what
  if (error instanceof Error) return error.message.split('\n', 1)[0] ?? error.name
  return String(error)
}
