import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** What nearly every module is handed besides its own helpers. */
export type Context = { log: Log; metrics: Metrics }
