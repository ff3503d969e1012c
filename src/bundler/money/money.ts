import type { Address } from 'viem'
import type { Context } from '../../base/context.ts'
import type { BalanceReader } from '../../chain/balances.ts'
import type { BlockRef } from '../../types/block.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Alerts } from '../../types/ports/alerts.ts'
import type { PaymasterReport } from '../../types/ports/operator.ts'
import type { BundleEvent, FundingView, RelayerView } from '../../types/ports/submitter.ts'
import { createAccounts } from './accounts.ts'
import { createFundingAlarm } from './funding-alarm.ts'
import { createPaymasterWatch } from './paymaster-watch.ts'
import { createRelayerAlarm } from './relayer-alarm.ts'

export type MoneySettings = {
  chainId: number
  versions: readonly EntryPointVersion[]
  /** wei */
  minSignerBalance: bigint
  watchedPaymasters: readonly Address[]
  /** wei */
  minPaymasterDeposit: bigint
}

/** All that a chain's operator earns, spends and has to refill. */
export type Money = {
  onHead(block: BlockRef): Promise<void>
  onBundle(event: BundleEvent): void
  onRelayers(views: readonly RelayerView[]): void
  onFunding(view: FundingView): void
  /** The watched ones. */
  paymasters(): readonly PaymasterReport[]
}

type Modules = Context & { balances: Pick<BalanceReader, 'read'>; alerts: Alerts; now: () => number }

export function createMoney(settings: MoneySettings, modules: Modules): Money {
  const { chainId: chain } = settings
  const { metrics } = modules
  const relayerBalance = metrics.gauge('relayer_balance_wei', 'Balance of a relayer.', ['chain', 'relayer'])
  const balance = metrics.gauge('funding_balance_wei', 'Balance of the account that tops up relayers.', [
    'chain',
  ])
  const spent = metrics.gauge('funding_spent_wei', 'What relayers were given in the last 24 hours.', [
    'chain',
  ])
  const accounts = createAccounts(settings, metrics)
  const paymasters = createPaymasterWatch(settings, modules)
  const judgeRelayers = createRelayerAlarm(settings, modules)
  const judgeFunding = createFundingAlarm(settings, modules)
  let funding: FundingView | undefined

  return {
    async onHead(block) {
      if (funding !== undefined) judgeFunding(funding)
      await paymasters.look(block)
    },
    onBundle: accounts.onBundle,
    onRelayers(views) {
      for (const view of views) relayerBalance.set({ chain, relayer: view.address }, Number(view.balance))
      judgeRelayers(views)
    },
    onFunding(view) {
      funding = view
      balance.set({ chain }, Number(view.balance))
      spent.set({ chain }, Number(view.spent))
      judgeFunding(view)
    },
    paymasters: paymasters.report,
  }
}
