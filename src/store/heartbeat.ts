import type { GroupCommit } from './group-commit.ts'
import type { HeldLease } from './held-lease.ts'
import { renewalsPerLease } from './lease.ts'

/**
 * Renews the lease again and again, with whatever else is committed at the time. One that fails is made up for by
 * the next; one after the end of the lease still counts, as long as nobody has taken it. Gives what stops it.
 * @param duration ms of the lease
 */
export function startHeartbeat(duration: number, lease: HeldLease, commits: GroupCommit): () => void {
  let beating = false
  const timer = setInterval(async () => {
    if (beating) return
    beating = true
    await commits.write([lease.renewal]).catch(() => {})
    beating = false
  }, duration / renewalsPerLease)
  return () => clearInterval(timer)
}
