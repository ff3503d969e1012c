import type { Address } from 'viem'
import { headTrouble } from '../chain/freshness.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { Readiness } from '../types/ports/bundler.ts'
import type { HeadSource } from '../types/ports/chain.ts'
import type {
  ChainInspector,
  ChainOverview,
  PaymasterReport,
  PooledOperation,
  PoolReport,
} from '../types/ports/operator.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { RelayerView, SubmitterPort } from '../types/ports/submitter.ts'

type Modules = {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  heads: HeadSource
  submitter: Pick<SubmitterPort, 'report'>
  relayers: () => readonly RelayerView[]
  paymasters: () => readonly PaymasterReport[]
  now: () => number
}

/** A chain as its operator sees it. */
export function createInspector(
  {
    chainId,
    versions,
    maxHeadAge,
  }: { chainId: number; versions: readonly EntryPointVersion[]; maxHeadAge?: number | undefined },
  { pools, heads, submitter, relayers, paymasters, now }: Modules,
): ChainInspector {
  return {
    chainId,

    readiness(): Readiness {
      const missing: string[] = []
      const trouble = headTrouble(heads, { maxHeadAge }, now())
      if (trouble !== undefined) missing.push(trouble)
      const isAble = relayers().some(({ state }) => state === 'idle' || state === 'busy')
      if (!isAble) missing.push('a funded relayer')
      return { ready: missing.length === 0, missing }
    },

    overview(): ChainOverview {
      const byState = { idle: 0, busy: 0, recovering: 0, 'low-balance': 0 }
      for (const { state } of relayers()) byState[state] += 1
      return {
        chainId,
        entryPoints: versions.map((version) => ({ version, address: entryPoints[version].address })),
        head: heads.current,
        headAge: heads.current === undefined ? undefined : heads.staleness(now()),
        blockTime: heads.blockTime,
        operations: [...pools.values()].reduce((sum, pool) => sum + pool.size, 0),
        relayers: byState,
      }
    },

    pool({ offset, limit }): PoolReport {
      const byState = { queued: 0, pending: 0, bundled: 0, submitted: 0 }
      const byEntryPoint: Record<Address, number> = {}
      const entries: PooledOperation[] = []
      let total = 0
      let oldest: number | undefined
      const at = now()
      for (const pool of pools.values()) {
        const entryPoint = entryPoints[pool.version].address
        byEntryPoint[entryPoint] = pool.size
        for (const { op, hash, state, failures, receivedAt } of pool.entries()) {
          byState[state.kind] += 1
          oldest = Math.min(oldest ?? receivedAt, receivedAt)
          if (total >= offset && entries.length < limit)
            entries.push({ op, hash, entryPoint, state, failures, age: at - receivedAt })
          total += 1
        }
      }
      const oldestAge = oldest === undefined ? undefined : at - oldest
      return { total, byState, byEntryPoint, oldestAge, entries }
    },

    relayers: () => submitter.report({ chainId }),
    paymasters,

    reputation: () =>
      [...pools.values()].flatMap((pool) =>
        pool.reputation().map((view) => ({ entryPoint: entryPoints[pool.version].address, ...view })),
      ),
  }
}
