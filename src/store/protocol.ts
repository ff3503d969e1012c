import type { PaymasterStorePort } from '../types/ports/paymaster-store.ts'
import type { StorePort } from '../types/ports/store.ts'
import type { Place } from './client.ts'
import type { CommitReport } from './group-commit.ts'
import type { RetentionOptions } from './retention.ts'

export type StoreOptions = Place & {
  /** ms; a start waits so long for a holder that may be dead, so it must be well below `answerDeadline`. */
  leaseDuration: number
  retention: RetentionOptions
}

/** How opening ended; an error's class would be lost between threads. */
export type Opened =
  | { kind: 'open' }
  | { kind: 'newer-schema'; found: number }
  | { kind: 'cannot-open'; reason: string }

/** All that the one database keeps. */
export type Store = StorePort & PaymasterStorePort

/** What the store thread serves: first `open`, then the rest. */
export type StoreThread = Store & { open(options: StoreOptions): Promise<Opened> }

/** Whom the store tells what it does. */
export type StoreHost = {
  committed(report: CommitReport): void
  /** Nothing can be written any more. */
  leaseLost(): void
}

/** ms; longer than any commit can take (two requests to a remote server, or the wait for a lock on the file). */
export const answerDeadline = 30_000

/** Calls without an answer: all writes that may wait for their commit, and some reads. */
export const maxInFlight = 25_000
