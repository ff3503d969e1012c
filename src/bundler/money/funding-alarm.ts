import { calm, hold } from '../../base/held.ts'
import type { Alerts } from '../../types/ports/alerts.ts'
import type { FundingView, Shortage } from '../../types/ports/submitter.ts'

/** ms without a shortage before it is over: one that comes back with every bundle is told once. */
const clearAfter = 600_000

/** Tells when the funding account cannot give what relayers need. To be called with every head too. */
export function createFundingAlarm(
  { chainId }: { chainId: number },
  { alerts, now }: { alerts: Alerts; now: () => number },
): (view: FundingView) => void {
  let state = calm
  let reason: Shortage = 'none'
  return ({ address: account, balance, shortage }) => {
    const before = state.raised
    if (shortage !== 'none') reason = shortage
    state = hold(state, shortage !== 'none', now(), { raiseAfter: 0, clearAfter })
    if (state.raised === before) return
    const event = state.raised ? 'funding.short' : 'funding.recovered'
    alerts.tell({ event, chainId, account, balance, reason })
  }
}
