import { Unavailable } from '../../../base/errors.ts'

/** ms until a node that does not have a method is asked again: it may have been replaced. */
const refusedPause = 600_000
/** ms until a method that failed is used again. */
const failedPause = 30_000

/** Whether a node method of help is there. `pausedUntil` in ms since 1970. */
export type Standing =
  | { kind: 'untried' }
  | { kind: 'works' }
  | { kind: 'refused'; pausedUntil: number }
  | { kind: 'failing'; pausedUntil: number }

export function isUsable(standing: Standing, now: number): boolean {
  return standing.kind === 'untried' || standing.kind === 'works' || standing.pausedUntil <= now
}

/** After a call that ended with `error`. */
export function standingAfter(error: Error, now: number): Standing {
  return error instanceof Unavailable
    ? { kind: 'failing', pausedUntil: now + failedPause }
    : { kind: 'refused', pausedUntil: now + refusedPause }
}
