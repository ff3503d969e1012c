import { type Address, encodeFunctionData, type Hex } from 'viem'
import { describe } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { BlockRef } from '../types/block.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { States } from './states.ts'

/** Keeps the pool's paymaster ledger true: deposits of the paymasters that pay for pooled operations, once a block. */
export type Deposits = { refresh(block: BlockRef): Promise<void> }

export function createDeposits({
  pools,
  node,
  states,
  log,
}: {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  node: NodeClient
  states: States
  log: Log
}): Deposits {
  return {
    async refresh(block) {
      const reads = [...pools.values()].flatMap((pool) =>
        pool.paymasters().map((paymaster) => refreshOne(pool, paymaster, block)),
      )
      await Promise.all(reads)
    },
  }

  async function refreshOne(pool: PoolPort, paymaster: Address, block: BlockRef): Promise<void> {
    const { abi, address } = entryPoints[pool.version]
    const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [paymaster] })
    try {
      const deposit = BigInt(await node.requestAt<Hex>('eth_call', [{ to: address, data }], block))
      states.apply(pool.version, pool.setDeposit(paymaster, deposit))
    } catch (error) {
      // The last known deposit stands: a node that cannot tell is no reason to drop anything.
      log.warn('deposit not read', { paymaster, error: describe(error) })
    }
  }
}
