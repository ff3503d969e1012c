import type { Json } from './errors.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'
export type LogFields = { readonly [key: string]: Json | bigint | undefined }

/** JSON lines on standard error. Fields are written as given: callers never pass a secret (see `redactUrl`). */
export type Log = {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A log that adds `fields` to each line, such as `{ chainId, operation }`. */
  with(fields: LogFields): Log
}

const ranks: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 }

export function createLog(options: { level: LogLevel; write?: (line: string) => void }): Log {
  const write = options.write ?? ((line: string) => process.stderr.write(line))
  return logWith(ranks[options.level], write, {})
}

function logWith(rank: number, write: (line: string) => void, base: LogFields): Log {
  const at = (level: Exclude<LogLevel, 'silent'>) => (message: string, fields?: LogFields) => {
    if (ranks[level] < rank) return
    const record = { time: new Date().toISOString(), level, message, ...base, ...fields }
    write(`${JSON.stringify(record, bigintAsText)}\n`)
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => logWith(rank, write, { ...base, ...fields }),
  }
}

/** For JSON.stringify: JSON numbers end at 2^53. */
export function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** A URL without what may be a key: user info, path and query are replaced; scheme, host and port stay. */
export function redactUrl(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return '<url>'
  const hidden = parsed.pathname.length > 1 || parsed.search !== '' ? '/…' : ''
  return `${parsed.protocol}//${parsed.host}${hidden}`
}
