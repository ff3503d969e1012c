import { createLog } from '../../../src/base/log.ts'
import { createMetrics } from '../../../src/base/metrics.ts'
import type { Judge } from '../../../src/bundler/judge.ts'
import { createStates, type States } from '../../../src/bundler/states.ts'
import type { FeeQuote, Head } from '../../../src/types/block.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../../src/types/entrypoint-version.ts'
import type { HeadSource } from '../../../src/types/ports/chain.ts'
import type { PoolPort } from '../../../src/types/ports/pool.ts'
import type { OperationRecord, StorePort } from '../../../src/types/ports/store.ts'
import type { OperationState, StateChange } from '../../../src/types/status.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import type { Verdict } from '../../../src/types/verdict.ts'
import { facts, hash, hashOf } from '../../support/builders.ts'

export const chainId = 1337
export const context = { log: createLog({ level: 'silent' }), metrics: createMetrics() }
export const now = () => 1000

export const head = (number: number, changes: Partial<Head> = {}): Head => ({
  number,
  hash: hash(number),
  parentHash: hash(number - 1),
  timestamp: number,
  baseFeePerGas: 0n,
  gasLimit: 30_000_000n,
  ...changes,
})

/** Fees of an empty chain. */
export const free: FeeQuote = { baseFee: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, legacy: false }

const unexpected = (what: string) => (): never => {
  throw new Error(`the test did not expect ${what}`)
}

/** A store that refuses what a test did not give it. */
export function fakeStore(changes: Partial<StorePort> = {}): StorePort {
  return {
    addOperation: unexpected('addOperation'),
    changeStates: async () => {},
    operation: async () => undefined,
    openOperations: async () => [],
    journal: unexpected('journal'),
    settleBundle: unexpected('settleBundle'),
    openBundles: async () => [],
    fundings: async () => [],
    indexBlock: async () => {},
    removeBlocks: async () => {},
    indexedBlocks: async () => [],
    event: async () => undefined,
    receipt: async () => undefined,
    eventsBetween: async () => [],
    saveReputation: async () => {},
    reputation: async () => [],
    prune: unexpected('prune'),
    ping: async () => {},
    close: async () => {},
    ...changes,
  }
}

/** Heads that stand still, or go where `next` says when they are looked at again. */
export function fakeHeads(current: Head | undefined = head(1), next?: Head): HeadSource & { looks: number } {
  let now = current
  return {
    looks: 0,
    get current() {
      return now
    },
    blockTime: undefined,
    onChange: unexpected('a listener'),
    async refresh() {
      this.looks += 1
      now = next ?? now
    },
    staleness: () => 0,
  }
}

/** States that are kept as they were told, besides what is stored. */
export function recordedStates(store: StorePort = fakeStore()): { states: States; told: StateChange[] } {
  const states = createStates({ chainId, now }, { ...context, store })
  const told: StateChange[] = []
  states.subscribe((change) => told.push(change))
  return { states, told }
}

/** The states that `op` was told to have, in order. */
export const lifeOf = (told: readonly StateChange[], op: UserOperation): OperationState[] =>
  told.filter((change) => change.hash === hashOf(op)).map(({ state }) => state)

export const poolsOf = (pool: PoolPort): ReadonlyMap<EntryPointVersion, PoolPort> =>
  new Map([[pool.version, pool]])

/** Judges every operation by one rule. */
export const judgeBy =
  (rule: (op: UserOperation) => Verdict): Judge =>
  async (op) => ({ verdict: rule(op), chainSequence: 0n })

export const accepted = (op: UserOperation): Verdict => ({ kind: 'accepted', facts: facts(op) })

export function record(op: UserOperation, changes: Partial<OperationRecord> = {}): OperationRecord {
  return {
    chainId,
    entryPoint: entryPoints[op.version].address,
    hash: hashOf(op),
    op,
    validationLevel: 'basic',
    receivedAt: 0,
    state: { kind: 'pending' },
    timestamps: { received: 0, pending: 0 },
    ...changes,
  }
}
