import { Unavailable } from '../base/errors.ts'
import { withDeadline } from '../base/queue.ts'
import { isStaked, lockedStake, type StakeRequirement } from '../types/entity.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { BundlerDebugPort } from '../types/ports/bundler.ts'
import type { HeadSource, NodeClient } from '../types/ports/chain.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { StorePort } from '../types/ports/store.ts'
import { readDepositInfo } from '../validation/read-deposit-info.ts'
import type { Outcomes } from './bindings.ts'
import { hashOperation } from './hash.ts'
import type { Proposer } from './propose.ts'
import { restoredCandidate } from './restored.ts'
import type { States } from './states.ts'

type Modules = {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  proposer: Proposer
  outcomes: Outcomes
  states: States
  store: StorePort
  node: NodeClient
  heads: HeadSource
  now: () => number
}

/** ms; several blocks of the slowest chains, and less than an HTTP connection may be silent */
const outcomeDeadline = 60_000

/** `debug_bundler_*` of ERC-7769. */
export function createDebug(required: StakeRequirement, modules: Modules): BundlerDebugPort {
  const { pools, proposer, outcomes, states, store, node, heads, now } = modules

  return {
    async clearMempool() {
      for (const pool of pools.values()) states.apply(pool.version, pool.clear())
    },
    async clearReputation() {
      for (const pool of pools.values()) pool.clearReputation()
    },
    dumpMempool: (version) => [...poolOf(version).entries()].map((entry) => entry.op),
    async sendBundleNow() {
      // The one before may have been told to be mined before its relayer was told to be free.
      await proposer.whenIdle()
      const made = await proposer.proposeNow()
      if (made === undefined) return undefined
      const late = () => new Unavailable(`bundle ${made.bundleId} is not mined yet`)
      const transaction = await withDeadline(outcomes.of(made.bundleId), outcomeDeadline, late)
      // The submitter may find it in a block whose events are not applied yet.
      await heads.refresh()
      return transaction
    },
    setBundlingMode: (mode) => proposer.setMode(mode),
    setBundleInterval: (interval) => proposer.setInterval(interval),
    setReputation: (version, entries) => poolOf(version).setReputation(entries),
    dumpReputation: (version) => poolOf(version).reputation(),
    async addUserOps(ops) {
      for (const op of ops) {
        const pool = poolOf(op.version)
        const hash = await hashOperation(op, node)
        const receivedAt = now()
        const record = {
          chainId: node.chainId,
          entryPoint: entryPoints[op.version].address,
          hash,
          op,
          validationLevel: undefined,
          receivedAt,
          state: { kind: 'pending' as const },
          timestamps: { received: receivedAt, pending: receivedAt },
        }
        const unpinned = { number: 0, hash }
        const effects = pool.restore(restoredCandidate(record, unpinned), receivedAt)
        await store.addOperation(record)
        states.apply(op.version, effects)
      }
      proposer.poke()
    },
    async stakeStatus(version, address) {
      const info = await readDepositInfo(address, version, { node, at: 'latest' })
      const { stake, unstakeDelaySec } = info
      return { stake, unstakeDelaySec, isStaked: isStaked(lockedStake(info), required) }
    },
  }

  function poolOf(version: EntryPointVersion): PoolPort {
    const pool = pools.get(version)
    if (pool === undefined) throw new Unavailable(`no pool for EntryPoint ${version}`)
    return pool
  }
}
