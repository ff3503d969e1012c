import { formatEther } from 'viem'
import type { Metrics } from '../../base/metrics.ts'
import type { BundleEvent } from '../../types/ports/submitter.ts'

/** What one bundle cost and brought, in wei. */
export type Account = { cost: bigint; revenue: bigint; outcome: 'included' | 'reverted' | 'cancelled' }

/** Profit and loss of a chain's bundles. */
export type Accounts = {
  onBundle(event: BundleEvent): void
}

/** Profit to cost: −1 is a bundle that brought nothing, 0 one that just paid for itself. */
const marginBuckets = [-1, -0.5, -0.2, -0.1, -0.05, 0, 0.05, 0.1, 0.2, 0.5, 1, 2]

/**
 * Counters only grow, so a bundle is counted when no reorg can undo it any more; until then it is in a gauge. After a
 * restart the submitter tells again of all that is not final, and of nothing else: each bundle counts once.
 */
export function createAccounts({ chainId: chain }: { chainId: number }, metrics: Metrics): Accounts {
  const open = new Map<string, Account>()
  const costs = metrics.counter(
    'bundle_cost_native_total',
    'What final bundle transactions cost, in the native coin.',
    ['chain', 'outcome'],
  )
  const revenues = metrics.counter(
    'bundle_revenue_native_total',
    'What the operations of final bundles were charged, in the native coin.',
    ['chain'],
  )
  const margins = metrics.histogram(
    'bundle_margin_ratio',
    'Profit of a final bundle over its cost.',
    ['chain'],
    marginBuckets,
  )
  const unsettled = metrics.gauge(
    'bundle_profit_unsettled_native',
    'Profit of mined bundles that a reorg may still undo, in the native coin.',
    ['chain'],
  )

  return {
    onBundle(event) {
      const account = change(event)
      if (account !== undefined) settle(account)
      unsettled.set(
        { chain },
        [...open.values()].reduce((sum, each) => sum + native(profitOf(each)), 0),
      )
    },
  }

  /** The account of a bundle that has become final. */
  function change(event: BundleEvent): Account | undefined {
    const { bundleId } = event
    switch (event.kind) {
      case 'mined': {
        const { cost, revenue } = event
        open.set(bundleId, { cost, revenue, outcome: outcomeOf(event) })
        return undefined
      }
      case 'abandoned':
        open.delete(bundleId)
        if (event.cost !== undefined)
          open.set(bundleId, { cost: event.cost, revenue: 0n, outcome: 'cancelled' })
        return undefined
      case 'unmined':
        open.delete(bundleId)
        return undefined
      case 'finalized': {
        const account = open.get(bundleId)
        open.delete(bundleId)
        return account
      }
      case 'submitted':
        return undefined
    }
  }

  function settle(account: Account): void {
    const { cost, revenue, outcome } = account
    costs.inc({ chain, outcome }, native(cost))
    revenues.inc({ chain }, native(revenue))
    if (cost > 0n) margins.observe({ chain }, native(profitOf(account)) / native(cost))
  }
}

/** A nonce that nothing was bound to was only filled, by a cancellation. */
function outcomeOf({ reverted, revenue, operations }: Extract<BundleEvent, { kind: 'mined' }>) {
  if (reverted) return 'reverted'
  return revenue === 0n && operations.length === 0 ? 'cancelled' : 'included'
}

/** wei; negative for a loss */
export const profitOf = ({ cost, revenue }: Pick<Account, 'cost' | 'revenue'>): bigint => revenue - cost

const native = (wei: bigint): number => Number(formatEther(wei))
