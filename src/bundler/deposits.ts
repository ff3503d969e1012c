import { describe } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { BalanceReader } from '../chain/balances.ts'
import type { BlockRef } from '../types/block.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { States } from './states.ts'

/** Keeps the pool's paymaster ledger true: deposits of the paymasters that pay for pooled operations, once a block. */
export type Deposits = { refresh(block: BlockRef): Promise<void> }

type Modules = {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  balances: Pick<BalanceReader, 'read'>
  states: States
  log: Log
}

export function createDeposits({ pools, balances, states, log }: Modules): Deposits {
  return {
    async refresh(block) {
      const wanted = [...pools.values()].flatMap((pool) =>
        pool.paymasters().map((paymaster) => ({ pool, paymaster })),
      )
      if (wanted.length === 0) return
      try {
        const found = await balances.read(
          wanted.map(({ pool, paymaster }) => ({
            account: paymaster,
            at: entryPoints[pool.version].address,
          })),
          block,
        )
        for (const [index, { pool, paymaster }] of wanted.entries()) {
          const deposit = found[index]
          if (deposit !== undefined) states.apply(pool.version, pool.setDeposit(paymaster, deposit))
        }
      } catch (error) {
        // The last known deposits stand: a node that cannot tell is no reason to drop anything.
        log.warn('deposits not read', { paymasters: wanted.length, error: describe(error) })
      }
    },
  }
}
