import type { Address, Hash } from 'viem'
import type { Context } from '../base/context.ts'
import { describe, NoAnswer } from '../base/errors.ts'
import type { FeeQuote, Head } from '../types/block.ts'
import { encodeHandleOps, entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { GasInBundle } from '../types/gas.ts'
import type { HeadSource } from '../types/ports/chain.ts'
import type { Market } from '../types/ports/data-fee.ts'
import type { PoolEntry, PoolPort } from '../types/ports/pool.ts'
import type { RelayerView, SubmitterPort } from '../types/ports/submitter.ts'
import type { UserOperation } from '../types/userop.ts'
import { bundleFees, feeCeiling, marketPriorityFee } from './bundle-fees.ts'
import { type BundleCheck, unchecked } from './check.ts'
import { closingDelay } from './closing-time.ts'
import type { ConditionsOf } from './conditions.ts'
import { type Draft, stillBound } from './draft.ts'
import type { States } from './states.ts'

export type ProposeSettings = {
  chainId: number
  /** `undefined`: the relayer that sends the bundle. */
  beneficiary?: Address | undefined
  /** operations */
  bundleSize: number
  /** ms; the longest that an operation waits for company */
  bundleInterval: number
  /** gas that a bundle transaction may ask for */
  transactionGasCap: bigint
  /** bytes of its calldata */
  transactionBytesCap: number
  /** gas added to a bundle's computed limit */
  bundleGasLimitMarkup: bigint
  skipBundleValidation: boolean
  /** basis points that fees may be below the recommended ones */
  enforceGasPriceThreshold: number
  /** wei */
  minPriorityFee: bigint
  /** wei; a relayer below twice this is its own beneficiary, so that it earns its way up */
  minSignerBalance: bigint
}

export type Proposer = {
  /** Something changed that may make a bundle possible. */
  poke(): void
  relayersChanged(relayers: readonly RelayerView[]): void
  setMode(mode: 'manual' | 'auto'): void
  setInterval(ms: number): void
  /** Builds whatever can go now and submits it; `undefined` when nothing can. */
  proposeNow(): Promise<Made | undefined>
  /** Ends when no bundle is being built any more. */
  stop(): Promise<void>
}

type Made = { bundleId: string; transactionHash: Hash }
type Selection = { pool: PoolPort; entries: readonly PoolEntry[] }

type Modules = Context & {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  heads: HeadSource
  headSeenAt: () => number
  market: () => Promise<Market>
  submitter: SubmitterPort
  check: BundleCheck
  /** `undefined`: bundles are sent without conditions. */
  readConditions?: ((ops: readonly UserOperation[]) => Promise<ConditionsOf>) | undefined
  states: States
  /** The most gas that an operation adds to its bundle. */
  gasInBundle: (op: UserOperation) => GasInBundle
  /** gas of a bundle before its first operation */
  emptyBundleGas: bigint
  gasOfBundle: (
    version: EntryPointVersion,
    entries: readonly PoolEntry[],
    beneficiary: Address,
    market: Market,
  ) => bigint
  now: () => number
}

/**
 * Bytes of a transaction around its operations, at most: 100 of calldata, 150 of its own fields, the rest for
 * authorizations. Nodes measure the whole.
 */
const envelopeBytes = 2048

/** ms between bundles that are open to what pays less than the market, where there is always what pays it. */
const cheapTurn = 60_000
/**
 * Basis points below the market that may join then. Half of the usual tip is mined soon enough; much less might not be
 * at all, and would hold up the relayer, which may be the only one.
 */
const cheapTolerance = 5000

/** Turns pooled operations into bundles, when there is a reason to. One bundle a relayer at a time. */
export function createProposer(initial: ProposeSettings, modules: Modules): Proposer {
  const { pools, heads, submitter, check, states, log, metrics, now } = modules
  const { chainId } = initial
  let mode: 'manual' | 'auto' = 'auto'
  let bundleInterval = initial.bundleInterval
  let relayers: readonly RelayerView[] = []
  /** Relayers that a bundle is being built for, although they still look idle. */
  const reserved = new Set<Address>()
  const building = new Set<Promise<unknown>>()
  /** When a bundle was last open to what pays less than the market. */
  let cheapServedAt = now()
  let timer: Timer | undefined
  let stopped = false
  const bundles = metrics.counter('bundles_total', 'Bundles by outcome of their making.', [
    'chain',
    'outcome',
  ])
  const sizes = metrics.histogram(
    'bundle_operations',
    'Operations in a submitted bundle.',
    ['chain'],
    [1, 2, 5, 10, 20, 50, 100, 200, 500],
  )

  return {
    poke,
    relayersChanged(views) {
      relayers = views
      poke()
    },
    setMode(next) {
      mode = next
      pokeAnew()
    },
    setInterval(ms) {
      bundleInterval = ms
      pokeAnew()
    },
    proposeNow: () => tracked(propose()),
    async stop() {
      stopped = true
      clearTimeout(timer)
      await Promise.allSettled(building)
    },
  }

  function poke(): void {
    if (stopped || mode === 'manual' || timer !== undefined || idleRelayer() === undefined || isEmpty())
      return
    const delay = closingDelay({
      now: now(),
      headSeenAt: modules.headSeenAt(),
      blockTime: heads.blockTime,
      bundleInterval,
    })
    timer = setTimeout(() => {
      timer = undefined
      tracked(propose()).then(
        (made) => made !== undefined && poke(),
        (error) => log.error('bundle not built', { error: describe(error) }),
      )
    }, delay)
  }

  /** The bundle that is waiting for company, if there is one, waits by the new rules. */
  function pokeAnew(): void {
    clearTimeout(timer)
    timer = undefined
    poke()
  }

  function isEmpty(): boolean {
    for (const pool of pools.values()) if (pool.size > 0) return false
    return true
  }

  function idleRelayer(): RelayerView | undefined {
    return relayers.find((relayer) => relayer.state === 'idle' && !reserved.has(relayer.address))
  }

  function tracked<T>(work: Promise<T>): Promise<T> {
    const entry = work.catch(() => {})
    building.add(entry)
    void entry.finally(() => building.delete(entry))
    return work
  }

  async function propose(): Promise<Made | undefined> {
    const relayer = idleRelayer()
    const head = heads.current
    if (stopped || relayer === undefined || head === undefined) return undefined
    reserved.add(relayer.address)
    try {
      const market = await modules.market()
      const { quote } = market
      const selected = selectInTurn(quote, head)
      return selected && (await makeBundle(selected, relayer, market))
    } finally {
      reserved.delete(relayer.address)
    }
  }

  /**
   * What pays the market's price does not wait for what pays less, nor pay for it. But where there is always some of
   * it, what pays half may join it every `cheapTurn`, as far as there is room.
   */
  function selectInTurn(quote: FeeQuote, head: Head): Selection | undefined {
    const isCheapTurn = now() - cheapServedAt >= cheapTurn
    const tolerance = isCheapTurn ? cheapTolerance : initial.enforceGasPriceThreshold
    const selected = selectBest(quote, head, atLeast(marketPriorityFee(quote, tolerance)))
    if (selected === undefined || isCheapTurn) cheapServedAt = now()
    return selected ?? selectBest(quote, head, initial.minPriorityFee)
  }

  function atLeast(priorityFee: bigint): bigint {
    return priorityFee > initial.minPriorityFee ? priorityFee : initial.minPriorityFee
  }

  /** A bundle is of one EntryPoint: that one of which most operations can go. */
  function selectBest(quote: FeeQuote, { timestamp }: Head, leastPriorityFee: bigint): Selection | undefined {
    let best: Selection | undefined
    for (const pool of pools.values()) {
      if (pool.size === 0) continue
      const entries = pool.select({
        ...{ timestamp, leastPriorityFee, now: now(), baseFee: quote.baseFee },
        gasOf: modules.gasInBundle,
        maxGas: initial.transactionGasCap - modules.emptyBundleGas - initial.bundleGasLimitMarkup,
        maxBytes: initial.transactionBytesCap - envelopeBytes,
        maxOperations: initial.bundleSize,
      })
      if (entries.length > (best?.entries.length ?? 0)) best = { pool, entries }
    }
    return best
  }

  async function makeBundle(
    { pool, entries: selected }: Selection,
    relayer: RelayerView,
    market: Market,
  ): Promise<Made | undefined> {
    const bundleId = crypto.randomUUID()
    const draft = { bundleId, pool, entries: selected }
    const hashes = selected.map((entry) => entry.hash)
    states.apply(pool.version, pool.bundle(hashes, bundleId))
    try {
      const made = await checkAndSubmit(draft, relayer, market)
      bundles.inc({ chain: chainId, outcome: made === undefined ? 'empty' : 'submitted' })
      return made
    } catch (error) {
      bundles.inc({ chain: chainId, outcome: 'failed' })
      log.warn('bundle not submitted', { bundle: bundleId, error: describe(error) })
      // Without an answer it may be signed and on its way: its operations stay bound until an event frees them.
      if (error instanceof NoAnswer) return undefined
      const unsent = stillBound(draft).map((entry) => entry.hash)
      states.apply(pool.version, pool.release(unsent))
      return undefined
    }
  }

  async function checkAndSubmit(
    draft: Draft,
    relayer: RelayerView,
    market: Market,
  ): Promise<Made | undefined> {
    const { bundleId, pool } = draft
    const beneficiary = beneficiaryFor(relayer)
    const gasLimit = (entries: readonly PoolEntry[]) =>
      modules.gasOfBundle(pool.version, entries, beneficiary, market) + initial.bundleGasLimitMarkup
    const { quote } = market
    const { maxFeePerGas } = quote
    const conditionsOf = await modules.readConditions?.(draft.entries.map((entry) => entry.op))
    const { entries, authorizations } = initial.skipBundleValidation
      ? unchecked(draft.entries)
      : await check(draft, { from: relayer.address, beneficiary, maxFeePerGas, gasLimit })
    if (entries.length === 0) return undefined
    const ops = entries.map((entry) => entry.op)
    const operations = entries.map((entry) => entry.hash)
    const { transactionHash } = await submitter.submit({
      ...{ chainId, bundleId, operations, relayer: relayer.address, to: entryPoints[pool.version].address },
      data: encodeHandleOps(pool.version, ops, beneficiary),
      gasLimit: gasLimit(entries),
      fees: bundleFees(ops, quote, { leastPriorityFee: initial.minPriorityFee }),
      ceiling: feeCeiling(ops, quote),
      conditions: conditionsOf?.(entries),
      authorizations,
    })
    sizes.observe({ chain: chainId }, entries.length)
    log.info('bundle submitted', {
      bundle: bundleId,
      transaction: transactionHash,
      operations: operations.length,
    })
    return { bundleId, transactionHash }
  }

  function beneficiaryFor(relayer: RelayerView): Address {
    const poor = relayer.balance < 2n * initial.minSignerBalance
    return poor || initial.beneficiary === undefined ? relayer.address : initial.beneficiary
  }
}
