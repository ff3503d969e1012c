import type { Address } from 'viem'
import type { Metrics } from '../../base/metrics.ts'
import type { Alerts, RelayerEvent } from '../../types/ports/alerts.ts'
import type { RelayerView } from '../../types/ports/submitter.ts'

/** How a relayer was last told to be. */
type RelayerLevel = 'ok' | 'low' | 'paused'

/** A relayer is low below one and a half times what it must have… */
const low = { numerator: 3n, denominator: 2n }
/** …and well again with a tenth more than that: in between nothing is told, or it would be told again and again. */
const recovered = { numerator: 11n, denominator: 10n }

/** What a relayer is told to be next: from bad to worse at once, to good only when it is well. Pure. */
function nextLevel(
  before: RelayerLevel,
  { state, balance }: Pick<RelayerView, 'state' | 'balance'>,
  minSignerBalance: bigint,
): RelayerLevel {
  if (state === 'low-balance') return 'paused'
  const lowAt = (minSignerBalance * low.numerator) / low.denominator
  if (before === 'ok') return balance < lowAt ? 'low' : 'ok'
  return balance * recovered.denominator >= lowAt * recovered.numerator ? 'ok' : before
}

const events: Readonly<Record<RelayerLevel, RelayerEvent>> = {
  ok: 'relayer.recovered',
  low: 'relayer.low-balance',
  paused: 'relayer.paused',
}

/** Tells when relayers run out of money, and when they have it again. */
export function createRelayerAlarm(
  { chainId, minSignerBalance }: { chainId: number; minSignerBalance: bigint },
  { alerts, metrics }: { alerts: Alerts; metrics: Metrics },
): (views: readonly RelayerView[]) => void {
  const levels = new Map<Address, RelayerLevel>()
  const states = metrics.gauge('relayers', 'Relayers by state.', ['chain', 'state'])
  return (views) => {
    const counts: Record<RelayerView['state'], number> = { idle: 0, busy: 0, recovering: 0, 'low-balance': 0 }
    for (const view of views) {
      const { address: relayer, balance } = view
      counts[view.state] += 1
      const before = levels.get(relayer) ?? 'ok'
      const level = nextLevel(before, view, minSignerBalance)
      levels.set(relayer, level)
      if (level !== before) alerts.tell({ event: events[level], chainId, relayer, balance })
    }
    for (const [state, count] of Object.entries(counts)) states.set({ chain: chainId, state }, count)
  }
}
