/** Who runs: enough for an operator to find it, and for the same machine to tell whether it still lives. */
export type Holder = {
  host: string
  pid: number
  /** The process among all that ever had its pid here; `undefined` where the system does not tell. */
  process: string | undefined
}

/** The right of one process to write to a database. Times are ms since 1970 by the database's own clock. */
export type Lease = Holder & {
  /** Random, one for each time that the lease was taken. */
  token: string
  /** Counts up; a commit is for one number and fails under any other. */
  fence: number
  /** ms from a renewal to `until` */
  duration: number
  since: number
  /** From then on another may take it, unless it is renewed before. 0 once it was given back. */
  until: number
}

/** Renewals in the time of a lease: two may fail without its end. */
export const renewalsPerLease = 3

/**
 * What a lease is to one who wants it: `free` when nobody has it, when it has ended, or when its holder is known to
 * be dead; `alive` when it was renewed since the first look; else its holder may be dead, and it is `watched`.
 */
export type Standing = 'free' | 'alive' | 'watched'

/**
 * Pure. A lease that is not renewed for all of its time has ended, whatever the clock of the database says by then.
 * @param facts.now by the database's clock
 * @param facts.watched ms since the first look, by one's own clock
 */
export function standing(
  { first, lease }: { first: Lease | undefined; lease: Lease | undefined },
  facts: { now: number; watched: number; isDead: (holder: Holder) => boolean },
): Standing {
  if (lease === undefined || lease.until <= facts.now || facts.isDead(lease)) return 'free'
  if (lease.token !== first?.token || lease.until !== first.until) return 'alive'
  return facts.watched >= lease.duration ? 'free' : 'watched'
}

/** One line about who has it. */
export function leaseText({ host, pid, since, until }: Lease): string {
  const time = (ms: number) => new Date(ms).toISOString()
  return `process ${pid} on ${host}, since ${time(since)}, until ${time(until)} unless it renews`
}
