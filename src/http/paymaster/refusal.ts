import { LimitExceeded, TandemError, Unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { PaymasterError } from '../../paymaster/paymaster-error.ts'
import { publicError } from '../../rpc/public-error.ts'

/** An error as REST shows it: `{error: text, code: machine code, …}`. */
export type Refusal = {
  status: number
  body: { error: string; code: string; [detail: string]: unknown }
  headers: Readonly<Record<string, string>>
}

/** Trouble of our own is told by a fixed text and a log id; its cause goes to the log. */
export function refusalOf(error: unknown, { log, call }: { log: Log; call: string }): Refusal {
  if (error instanceof PaymasterError) {
    const { status, message, reason, details } = error
    return { status, body: { error: message, code: reason, ...details }, headers: {} }
  }
  if (error instanceof LimitExceeded) {
    const retryAfterMs = Number(error.data?.retryAfterMs ?? 0)
    return {
      status: 429,
      body: { error: error.message, code: 'limit_exceeded', retryAfterMs },
      headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
    }
  }
  const told = publicError(error, { log, about: async () => ({ call }) })
  const ours = error instanceof Unavailable || !(error instanceof TandemError)
  if (!ours) return { status: 400, body: { error: told.message, code: 'rejected' }, headers: {} }
  const logId = logIdOf(told.data)
  if (!(error instanceof Unavailable))
    return { status: 500, body: { error: told.message, code: 'internal_error', ...logId }, headers: {} }
  // Not that one should try again: a transaction may be on its way.
  const text = error.told ?? 'Temporarily unavailable'
  return { status: 503, body: { error: text, code: 'unavailable', ...logId }, headers: {} }
}

function logIdOf(data: unknown): { logId?: string } {
  const isRecord = typeof data === 'object' && data !== null
  return isRecord && 'logId' in data && typeof data.logId === 'string' ? { logId: data.logId } : {}
}
