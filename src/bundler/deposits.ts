import { describe } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { BalanceReader } from '../chain/balances.ts'
import type { BlockRef } from '../types/block.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { PaymasterReport } from '../types/ports/operator.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { States } from './states.ts'

/** Keeps the pool's paymaster ledger true: deposits of the paymasters that pay for pooled operations, once a block. */
export type Deposits = {
  refresh(block: BlockRef): Promise<void>
  /** As last read. */
  report(): readonly PaymasterReport[]
}

type Modules = {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  balances: Pick<BalanceReader, 'read'>
  states: States
  log: Log
}

export function createDeposits({ pools, balances, states, log }: Modules): Deposits {
  let reports: readonly PaymasterReport[] = []
  return {
    report: () => reports,
    async refresh(block) {
      const wanted = [...pools.values()].flatMap((pool) =>
        pool.paymasters().map((paymaster) => ({ pool, paymaster })),
      )
      if (wanted.length === 0) {
        reports = []
        return
      }
      try {
        const found = await balances.read(
          wanted.map(({ pool, paymaster }) => ({
            account: paymaster,
            at: entryPoints[pool.version].address,
          })),
          block,
        )
        reports = wanted.flatMap(({ pool, paymaster }, index) => {
          const deposit = found[index]
          if (deposit === undefined) return []
          states.apply(pool.version, pool.setDeposit(paymaster, deposit))
          const entryPoint = entryPoints[pool.version].address
          return [{ paymaster, entryPoint, deposit, isWatched: false, isLow: false }]
        })
      } catch (error) {
        // The last known deposits stand: a node that cannot tell is no reason to drop anything.
        log.warn('deposits not read', { paymasters: wanted.length, error: describe(error) })
      }
    },
  }
}
