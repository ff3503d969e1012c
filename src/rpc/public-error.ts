import { describe, type ErrorWire, type Json, TandemError, toWire, Unavailable } from '../base/errors.ts'
import type { Log, LogFields } from '../base/log.ts'
import { NodeError } from '../chain/node-error.ts'

/** An error object of an answer. A node's own may hold anything in `data`. */
export type PublicError = { code: number; message: string; data?: Json }

/**
 * What a caller may see of an error. Trouble of our own is a fixed text and a log id; its cause goes to the log, with
 * what the call was about, which the caller does not wait for.
 */
export function publicError(
  error: unknown,
  { log, about }: { log: Log /** Never rejects. */; about: () => Promise<LogFields> },
): PublicError {
  if (error instanceof NodeError) {
    const { code, message, nodeData } = error
    return nodeData === undefined ? { code, message } : { code, message, data: nodeData }
  }
  if (error instanceof TandemError && !(error instanceof Unavailable)) return toWire(error)
  const logId = crypto.randomUUID()
  void about().then((fields) => {
    const told = { logId, error: describe(error), ...fields }
    if (error instanceof Unavailable) log.warn('could not tell', told)
    else log.error('call failed', { ...told, stack: error instanceof Error ? error.stack : undefined })
  })
  const message = error instanceof Unavailable ? error.message : 'Internal error'
  return { code: -32603, message, data: { logId } }
}

/** A stored reason as callers see it: what the trouble of our own was stays in the log. */
export function publicReason(reason: ErrorWire): PublicError {
  return reason.code === -32603 ? { code: reason.code, message: reason.message } : reason
}
