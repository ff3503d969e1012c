import type { GroupCommit } from './group-commit.ts'
import { renewalsPerLease } from './lease.ts'

/**
 * Commits something, if only nothing, often enough to renew the lease. A renewal that fails is made up for by the
 * next; one after the end of the lease still counts, as long as nobody has taken it. Gives what stops it.
 * @param duration ms of the lease
 */
export function startHeartbeat(duration: number, commits: GroupCommit): () => void {
  let beating = false
  const timer = setInterval(async () => {
    if (beating) return
    beating = true
    await commits.write([]).catch(() => {})
    beating = false
  }, duration / renewalsPerLease)
  return () => clearInterval(timer)
}
