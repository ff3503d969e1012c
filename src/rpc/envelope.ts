import { InvalidParams, type Json, TandemError } from '../base/errors.ts'
import type { PublicError } from './public-error.ts'

/** A JSON-RPC answer; `jsonrpc` is there if it was sent. */
export type Answer = { jsonrpc?: '2.0'; id: Id } & Outcome
export type Outcome = { result: Json } | { error: PublicError }
type Id = number | string | null

/** A request as it came; what is no object has no fields. */
export type Envelope = { readonly [field: string]: unknown }

/** One answer for text that is no JSON. */
export function unparsable(): Answer {
  return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'the request is not valid JSON' } }
}

/** Refuses a request as a whole; there is no id to echo. */
export function refused(message: string, data?: Json): Answer {
  return {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32600, message, ...(data === undefined ? {} : { data }) },
  }
}

/** @throws TandemError -32600, InvalidParams */
export function readParams(entry: unknown): readonly unknown[] {
  const invalid = (message: string) => new TandemError(-32600, message)
  if (!isRecord(entry)) throw invalid('a request must be an object')
  const { jsonrpc, id, method, params } = entry
  if (jsonrpc !== undefined && jsonrpc !== null && jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0"')
  if (id !== undefined && !isId(id)) throw invalid('id must be a number, a string or null')
  if (typeof method !== 'string') throw invalid('method must be a string')
  if (params === undefined || params === null) return []
  if (!Array.isArray(params)) throw new InvalidParams('params must be an array', { path: 'params' })
  return params
}

/** Puts the outcome under the request's id; nothing for a notification, which is a valid request without id. */
export function addressed({ jsonrpc, id, method }: Envelope, outcome: Outcome): Answer | undefined {
  if (id === undefined && typeof method === 'string') return undefined
  const answer = { id: isId(id) ? id : null, ...outcome }
  return jsonrpc === '2.0' ? { jsonrpc, ...answer } : answer
}

export function isRecord(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isId(value: unknown): value is Id {
  return value === null || typeof value === 'string' || typeof value === 'number'
}
