import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, type InStatement, LibsqlBatchError } from '@libsql/client'
import { type Holder, type Lease, leaseText, renewalsPerLease, standing } from './lease.ts'
import { createLeaseTable, giveBack, guard, raise, readLease, renewal, takeLease } from './lease-table.ts'
import { CannotOpen, isStatementFault, LeaseLost } from './store-error.ts'

export type LeaseOptions = {
  /** ms */
  duration: number
  holder: Holder
  isDead: (holder: Holder) => boolean
}

/** Another process owns the database. */
export class LeaseHeld extends CannotOpen {
  override readonly name = 'LeaseHeld'
  constructor(lease: Lease) {
    super(`the database is in use by ${leaseText(lease)}: one process at a time may serve from it`)
  }
}

/** ms between looks at a lease whose holder may be dead; short beside any lease. */
const lookInterval = 100

/**
 * The lease of an open database, through which its holder commits: each commit carries the lease's number as a
 * condition. Nothing of a holder that was paused, cut off or given up for dead is stored after another has taken
 * over, whatever any clock says.
 */
export class HeldLease {
  readonly #token: string
  readonly #duration: number
  #fence: number
  /** The highest number that was ever sent. */
  #highest: number
  /** How the last commit ended is not known: a server may still carry it out, long after it was given up. */
  #uncertain = false
  /** By this process's clock; when the commit was begun that renewed it. */
  #renewedAt = performance.now()

  /** @param lease as it was taken, just now */
  constructor(
    readonly client: Client,
    lease: Lease,
  ) {
    this.#token = lease.token
    this.#fence = lease.fence
    this.#highest = lease.fence
    this.#duration = lease.duration
  }

  /**
   * One transaction; gives the rows that each statement changed. It renews the lease when that is due, and fences off
   * what was sent before and never answered.
   * @throws LeaseLost, or what the client throws
   */
  async commit(statements: readonly InStatement[]): Promise<readonly number[]> {
    const token = this.#token
    if (this.#uncertain) this.#highest += 1
    const fence = this.#uncertain ? this.#highest : this.#fence
    const conditions = this.#uncertain ? raise({ token, fence }) : [guard({ token, fence })]
    const begun = performance.now()
    const isDue = begun - this.#renewedAt >= this.#duration / renewalsPerLease / 2
    const own = isDue ? [...conditions, renewal(this.#duration)] : conditions
    try {
      const results = await this.client.batch([...own, ...statements], 'write')
      this.#uncertain = false
      this.#fence = fence
      if (isDue) this.#renewedAt = begun
      return results.slice(own.length).map(({ rowsAffected }) => rowsAffected)
    } catch (error) {
      if (isRefusal(error)) throw new LeaseLost()
      if (!isStatementFault(error)) this.#uncertain = true
      throw error
    }
  }

  /** The next process need not wait for its end. */
  async giveBack(): Promise<void> {
    await giveBack(this.client, this.#token)
  }
}

/** The condition is the first statement, and only for being the wrong holder does the database refuse it. */
function isRefusal(error: unknown): boolean {
  return error instanceof LibsqlBatchError && error.statementIndex === 0 && error.code === 'SQLITE_CONSTRAINT'
}

/**
 * Takes the lease of a database; that of a holder that may be dead is watched until it is renewed or has ended.
 * @throws LeaseHeld
 */
export async function holdLease(
  client: Client,
  { duration, holder, isDead }: LeaseOptions,
): Promise<HeldLease> {
  await createLeaseTable(client)
  const taking = { ...holder, token: crypto.randomUUID(), duration }
  const begun = performance.now()
  const { lease: first } = await readLease(client)
  for (;;) {
    const { lease, now } = await readLease(client)
    switch (standing({ first, lease }, { now, watched: performance.now() - begun, isDead })) {
      case 'free': {
        const taken = await takeLease(client, taking, lease)
        if (taken !== undefined) return new HeldLease(client, taken)
        break
      }
      case 'watched':
        await sleep(lookInterval)
        break
      case 'alive':
        if (lease !== undefined) throw new LeaseHeld(lease)
    }
  }
}
