import { describe, type ErrorWire, type Json, TandemError, toWire, Unavailable } from '../base/errors.ts'
import type { Log, LogFields } from '../base/log.ts'
import { NodeError } from '../chain/node-error.ts'

/** An error object of an answer. A node's own may hold anything in `data`. */
export type PublicError = { code: number; message: string; data?: Json }

/**
 * What a caller may see of an error. Trouble of our own is a fixed text and a log id; its cause goes to the log.
 */
export function publicError(error: unknown, { log, about }: { log: Log; about: LogFields }): PublicError {
  if (error instanceof NodeError) {
    const { code, message, nodeData } = error
    return nodeData === undefined ? { code, message } : { code, message, data: nodeData }
  }
  if (error instanceof TandemError && !(error instanceof Unavailable)) return toWire(error)
  const logId = crypto.randomUUID()
  const fields = { logId, error: describe(error), ...about }
  if (error instanceof Unavailable) log.warn('could not tell', fields)
  else log.error('call failed', { ...fields, stack: error instanceof Error ? error.stack : undefined })
  return { code: -32603, message: 'Internal error', data: { logId } }
}

/** A stored reason as callers see it: what the trouble of our own was stays in the log. */
export function publicReason(reason: ErrorWire): PublicError {
  return reason.code === -32603 ? { code: reason.code, message: reason.message } : reason
}
