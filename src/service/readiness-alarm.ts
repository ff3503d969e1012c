import { calm, type Held, hold } from '../base/held.ts'
import type { Alerts } from '../types/ports/alerts.ts'
import type { ServiceReadiness } from '../types/ports/operator.ts'

/** ms between looks at what is missing */
const interval = 5_000
/** ms that something must be missing before it is told, and be there again: longer than a restart, or a reorg. */
const patience = { raiseAfter: 30_000, clearAfter: 30_000 }

/** What one look at the readiness is told of. */
export type ReadinessAlarm = (readiness: ServiceReadiness) => void

/** Tells of each chain, and of the service itself, when it has not been ready for a while, and when it is again. */
export function createReadinessAlarm({ alerts, now }: { alerts: Alerts; now: () => number }): ReadinessAlarm {
  const states = new Map<number | 'service', Held>()
  return ({ chains, own }) => {
    judge('service', own)
    for (const { chainId, missing } of chains) judge(chainId, missing)
  }

  function judge(of: number | 'service', missing: readonly string[]): void {
    const before = states.get(of) ?? calm
    const state = hold(before, missing.length > 0, now(), patience)
    states.set(of, state)
    if (state.raised === before.raised) return
    if (of === 'service')
      alerts.tell({ event: state.raised ? 'service.not-ready' : 'service.ready', missing })
    else alerts.tell({ event: state.raised ? 'chain.not-ready' : 'chain.ready', chainId: of, missing })
  }
}

/** Looks at once, then now and then, one look at a time. Gives what stops it. */
export function watchReadiness(
  readiness: () => Promise<ServiceReadiness>,
  alarm: ReadinessAlarm,
): () => void {
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    alarm(await readiness())
    isLooking = false
  }
  const timer = setInterval(look, interval)
  void look()
  return () => clearInterval(timer)
}
