import type { Address, Hash } from 'viem'
import type { Context } from '../base/context.ts'
import { describe, fromWire, InvalidParams, TandemError } from '../base/errors.ts'
import { createBalanceReader } from '../chain/balances.ts'
import type { BlockRef, HeadChange } from '../types/block.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { GasInBundle } from '../types/gas.ts'
import type { Alerts } from '../types/ports/alerts.ts'
import type { BundlerPort } from '../types/ports/bundler.ts'
import type { FeeOracle, HeadSource, NodeClient } from '../types/ports/chain.ts'
import type { DataFeeOracle, Market } from '../types/ports/data-fee.ts'
import type { ChainInspector } from '../types/ports/operator.ts'
import type { PoolEntry, PoolPort } from '../types/ports/pool.ts'
import type { SimulatorPort } from '../types/ports/simulator.ts'
import type { IndexedEvent, RawLog, RawReceipt, StorePort } from '../types/ports/store.ts'
import type {
  BundleEvent,
  FundingView,
  OpenBundle,
  RelayerView,
  SubmitterPort,
} from '../types/ports/submitter.ts'
import type { UserOperation } from '../types/userop.ts'
import type { Verdict } from '../types/verdict.ts'
import { createArrivals } from './arrivals.ts'
import { createBindings, createOutcomes } from './bindings.ts'
import { createBundleCheck } from './check.ts'
import { readConditions } from './conditions.ts'
import { formatConfig } from './config-view.ts'
import { createDebug } from './debug.ts'
import { createDeposits } from './deposits.ts'
import { createEstimator } from './estimate.ts'
import { createExplainer } from './explain.ts'
import { hashOperation } from './hash.ts'
import { createInspector } from './inspect.ts'
import { createIntake } from './intake.ts'
import { createJudge, createSequenceReader, untold } from './judge.ts'
import { createLookup } from './lookup.ts'
import { createMoney } from './money/money.ts'
import { type Asked, createPrices } from './prices.ts'
import { createProposer } from './propose.ts'
import { recoverPool, revalidate } from './recover.ts'
import type { BundlerSettings } from './settings.ts'
import { createStates } from './states.ts'
import { createTracker } from './track.ts'

/** ms between saves of reputation: it decays by the hour, so losing a minute of it in a crash means nothing. */
const reputationInterval = 60_000

/** ms between looks at what has waited too long; limits are in seconds. */
const timeInterval = 1_000
/** ms since a node answered: while none does, nobody can be included, and time does not count. */
const freshAnswer = 5_000

/** The bundler of one chain: what JSON-RPC sees, and the hooks that move it. */
export type Bundler = BundlerPort & {
  /** Restores what the store holds. Heads may follow once this has resolved. */
  recover(block: BlockRef, journal: readonly OpenBundle[]): Promise<void>
  /** One step of the chain; resolves when all of it is applied. */
  onHead(change: HeadChange): Promise<void>
  onBundle(event: BundleEvent): void
  onRelayers(relayers: readonly RelayerView[]): void
  onFunding(funding: FundingView): void
  /**
   * What validation will say to an operation once its account has signed (see `SimulatorPort.rehearse`).
   * @throws InvalidParams for one that no transaction has the gas for
   */
  rehearse(op: UserOperation): Promise<Verdict>
  /** Starts bundling: validates again what was restored, then proposes. */
  start(): void
  /** Ends when no bundle is being built and every state is stored. */
  stop(): Promise<void>
  /** What the operator may see. */
  readonly inspect: ChainInspector
}

/** How the chain is read; the functions of chain/ with the client inside. */
export type ChainReads = {
  events(block: BlockRef): Promise<readonly IndexedEvent[]>
  receipts(transactions: readonly Hash[]): Promise<readonly RawReceipt[]>
  isCanonical(block: BlockRef): Promise<boolean>
  scan(query: {
    from: number
    to: number
    entryPoints: readonly Address[]
    hash?: Hash
  }): Promise<readonly IndexedEvent[]>
  /** What is older than `scan` reaches; without an explorer nobody knows. */
  older?: ((query: { hash: Hash; before: number }) => Promise<IndexedEvent | undefined>) | undefined
}

/** The formulas of gas/ and validation/, bound to this chain's facts. */
export type Rules = {
  /** Local checks before simulation. @throws InvalidParams */
  precheck(op: UserOperation, asked: Asked): void
  /** The part of `precheck` that gas limits alone decide. @throws InvalidParams */
  checkCaps(op: UserOperation): void
  preVerificationGas(op: UserOperation, market: Market): bigint
  /** The most gas that an operation adds to its bundle. */
  gasInBundle(op: UserOperation): GasInBundle
  /** gas of a bundle before its first operation */
  emptyBundleGas: bigint
  gasOfBundle(
    version: EntryPointVersion,
    entries: readonly PoolEntry[],
    beneficiary: Address,
    market: Market,
  ): bigint
  logsOfOperation(receipt: RawReceipt, event: IndexedEvent): readonly RawLog[]
  revertReason(receipt: RawReceipt, event: IndexedEvent): string | undefined
}

export type BundlerModules = Context & {
  node: NodeClient
  /** For calls that are passed through, apart from our own. */
  callersNode: NodeClient
  heads: HeadSource
  fees: FeeOracle
  dataFees: DataFeeOracle
  reads: ChainReads
  rules: Rules
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  simulator: SimulatorPort
  submitter: SubmitterPort
  store: StorePort
  alerts: Alerts
  signal: AbortSignal
  now: () => number
}

export function createBundler(settings: BundlerSettings, modules: BundlerModules): Bundler {
  const { node, heads, fees, reads, rules, pools, simulator, submitter, store, signal, log, metrics, now } =
    modules
  const { chainId } = settings
  const context = { log, metrics }
  let relayers: readonly RelayerView[] = []
  const arrivals = createArrivals()
  let reputationSavedAt = now()
  let clock: Timer | undefined

  const balances = createBalanceReader(settings, { node, log })
  const bindings = createBindings()
  const orphans = new Set<Hash>()
  const outcomes = createOutcomes()
  const money = createMoney(settings, { ...context, balances, alerts: modules.alerts, now })
  const states = createStates({ chainId, now }, { ...context, store })
  const sequenceOnChain = createSequenceReader({ node, heads })
  const judge = createJudge({ chainId }, { heads, simulator, sequenceOnChain })
  const rehearsal = createJudge(
    { chainId },
    { heads, sequenceOnChain, simulator: { validate: simulator.rehearse } },
  )
  const explain = createExplainer({ chainId }, { heads, simulator, sequenceOnChain })
  const prices = createPrices(settings, {
    ...{ fees, now, dataFees: modules.dataFees, preVerificationGas: rules.preVerificationGas },
  })
  const deposits = createDeposits({ pools, balances, states, log })
  const lookup = createLookup(settings, { pools, store, node, heads, states, orphans, ...reads, ...rules })
  const estimate = createEstimator(settings, {
    pools,
    heads,
    simulator,
    prices,
    sequenceOnChain,
    checkCaps: rules.checkCaps,
  })
  const check = createBundleCheck({ chainId }, { ...context, heads, simulator, judge, states, now })
  const { gasInBundle, emptyBundleGas, gasOfBundle, preVerificationGas } = rules
  const proposer = createProposer(settings, {
    ...context,
    ...{
      pools,
      heads,
      submitter,
      check,
      states,
      now,
      gasInBundle,
      emptyBundleGas,
      gasOfBundle,
      preVerificationGas,
    },
    market: prices.market,
    blockAt: arrivals.latest,
    readConditions: settings.conditionalTransactions
      ? (ops) => readConditions(ops, { node, chainId, log })
      : undefined,
  })
  const tracker = createTracker(
    { chainId, signal },
    {
      ...context,
      ...{ pools, store, states, bindings, orphans, deposits, fees, submitter, now },
      readEvents: reads.events,
      readReceipts: reads.receipts,
      isCanonical: reads.isCanonical,
    },
  )
  const intake = createIntake(
    { chainId, now },
    {
      ...context,
      pools,
      node,
      judge,
      store,
      states,
      precheck: async (op) => rules.precheck(op, await prices.asked(op)),
      onAdmitted: proposer.poke,
    },
  )
  const poolSize = metrics.gauge('pool_operations', 'Operations in the pool.', ['chain', 'entrypoint'])

  return {
    chainId,
    versions: settings.versions,
    node: modules.callersNode,
    debug: createDebug(settings, { pools, proposer, outcomes, states, store, node, heads, now }),
    hash: (op) => hashOperation(op, node),
    send: intake.send,
    estimate,
    ...lookup,
    subscribe: states.subscribe,
    gasPrice: prices.recommended,

    explain: (op, overrides) => explain(op, poolOf(op.version), overrides),

    async drop(op) {
      const pool = poolOf(op.version)
      if (op.callData !== '0x')
        throw new InvalidParams('callData must be 0x: a no-op withdraws', { path: 'params[0].callData' })
      waitingLike(op, pool)
      const { verdict } = await judge(op, pool)
      if (verdict.kind === 'unknown') throw untold(verdict)
      if (verdict.kind === 'rejected') throw fromWire(verdict.error)
      // A bundle may have taken it up meanwhile.
      const pending = waitingLike(op, pool)
      states.apply(op.version, pool.drop(pending.hash, { code: -32000, message: 'withdrawn by its sender' }))
      await states.flush()
      return pending.hash
    },

    config: () =>
      formatConfig({
        ...settings,
        entryPoints: settings.versions.map((version) => entryPoints[version].address),
        relayers: relayers.map((relayer) => relayer.address),
      }),

    async recover(block, journal) {
      await recoverPool(
        { chainId, block, journal },
        { ...context, pools, store, states, bindings, sequenceOnChain, now },
      )
    },

    async onHead(change) {
      arrivals.note(change.head, now())
      await tracker.onHead(change)
      // Beside the heads: it never fails, and what it reads nobody waits for.
      void money.onHead(change.head)
      for (const pool of pools.values()) poolSize.set({ chain: chainId, entrypoint: pool.version }, pool.size)
      if (now() - reputationSavedAt >= reputationInterval) await saveReputation()
      proposer.poke()
    },

    onBundle(event) {
      tracker.onBundle(event)
      money.onBundle(event)
      outcomes.tell(event)
    },

    onRelayers(views) {
      relayers = views
      money.onRelayers(views)
      proposer.relayersChanged(views)
    },

    onFunding: money.onFunding,

    async rehearse(op) {
      rules.checkCaps(op)
      return (await rehearsal(op, poolOf(op.version))).verdict
    },

    start() {
      revalidate({ pools, judge, states, log }).then(proposer.poke, (error) =>
        log.error('restored operations not validated', { error: describe(error) }),
      )
      clock = setInterval(() => {
        if (heads.staleness(now()) < freshAnswer) tracker.onTime()
      }, timeInterval)
    },

    async stop() {
      clearInterval(clock)
      await proposer.stop()
      await saveReputation()
      await states.flush()
    },

    inspect: createInspector(settings, {
      ...{ pools, heads, submitter, now },
      relayers: () => relayers,
      paymasters: () => [...money.paymasters(), ...deposits.report()],
    }),
  }

  function poolOf(version: EntryPointVersion): PoolPort {
    const pool = pools.get(version)
    if (pool === undefined) throw new TandemError(-32602, `EntryPoint ${version} is not served`)
    return pool
  }

  /** The operation of this sender and nonce, while it can be withdrawn. @throws InvalidParams */
  function waitingLike(op: UserOperation, pool: PoolPort): PoolEntry {
    const entry = pool.at(op.sender, op.nonce)
    if (entry?.state.kind === 'pending' || entry?.state.kind === 'queued') return entry
    const path = 'params[0].nonce'
    throw new InvalidParams('no operation of this sender and nonce can be withdrawn', { path })
  }

  async function saveReputation(): Promise<void> {
    reputationSavedAt = now()
    const records = [...pools.values()].flatMap((pool) =>
      pool.reputation().map(({ status: _, ...counts }) => ({
        chainId,
        entryPoint: entryPoints[pool.version].address,
        ...counts,
      })),
    )
    try {
      await store.saveReputation({ chainId, records })
    } catch (error) {
      log.warn('reputation not stored', { error: describe(error) })
    }
  }
}
