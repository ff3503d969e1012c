import type { Address } from 'viem'
import type { Context } from '../../base/context.ts'
import { describe } from '../../base/errors.ts'
import type { BalanceReader } from '../../chain/balances.ts'
import type { BlockRef } from '../../types/block.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Alerts } from '../../types/ports/alerts.ts'
import type { PaymasterReport } from '../../types/ports/operator.ts'

/** Keeps an eye on the deposits of the operator's own paymasters. */
export type PaymasterWatch = {
  /** Reads the deposits when it is time to. Never fails: what cannot be read stays as it was. */
  look(block: BlockRef): Promise<void>
  report(): readonly PaymasterReport[]
}

type Options = {
  chainId: number
  versions: readonly EntryPointVersion[]
  watchedPaymasters: readonly Address[]
  /** wei */
  minPaymasterDeposit: bigint
}
type Modules = Context & { balances: Pick<BalanceReader, 'read'>; alerts: Alerts; now: () => number }

/** ms; a deposit runs out by bundles, not by blocks. */
const interval = 10_000
/** A deposit is well again with a tenth more than the least: in between nothing is told. */
const recovered = { numerator: 11n, denominator: 10n }

/** Whether a deposit is told to be low next. Pure. */
function nextIsLow(before: boolean, deposit: bigint, least: bigint): boolean {
  if (!before) return deposit < least
  return deposit * recovered.denominator < least * recovered.numerator
}

/** A paymaster belongs to one EntryPoint: what it has at all of them together is what it has. */
export function createPaymasterWatch(
  { chainId, versions, watchedPaymasters, minPaymasterDeposit }: Options,
  { balances, alerts, now, log, metrics }: Modules,
): PaymasterWatch {
  const holdings = watchedPaymasters.flatMap((account) =>
    versions.map((version) => ({ account, at: entryPoints[version].address })),
  )
  const low = new Set<Address>()
  const gauge = metrics.gauge('paymaster_deposit_wei', 'Deposit of a watched paymaster.', [
    'chain',
    'paymaster',
  ])
  let deposits: readonly (bigint | undefined)[] = []
  let readAt = Number.NEGATIVE_INFINITY

  return {
    async look(block) {
      if (holdings.length === 0 || now() - readAt < interval) return
      readAt = now()
      try {
        deposits = await balances.read(holdings, block)
      } catch (error) {
        log.warn('deposits of watched paymasters not read', { error: describe(error) })
        return
      }
      for (const paymaster of watchedPaymasters) judge(paymaster)
    },

    report: () =>
      holdings.flatMap(({ account: paymaster, at: entryPoint }, index) => {
        const deposit = deposits[index]
        if (deposit === undefined) return []
        return [{ paymaster, entryPoint, deposit, isWatched: true, isLow: low.has(paymaster) }]
      }),
  }

  function judge(paymaster: Address): void {
    const own = deposits.filter((_, index) => holdings[index]?.account === paymaster)
    if (own.includes(undefined)) return
    const deposit = own.reduce((sum: bigint, each) => sum + (each ?? 0n), 0n)
    gauge.set({ chain: chainId, paymaster }, Number(deposit))
    const wasLow = low.has(paymaster)
    const isLow = nextIsLow(wasLow, deposit, minPaymasterDeposit)
    if (isLow === wasLow) return
    if (isLow) low.add(paymaster)
    else low.delete(paymaster)
    const event = isLow ? 'paymaster.low-deposit' : 'paymaster.recovered'
    alerts.tell({ event, chainId, paymaster, deposit })
  }
}
