import type { Address, Hash } from 'viem'
import type { Context } from '../base/context.ts'
import { describe, NoAnswer, Unavailable } from '../base/errors.ts'
import { deferred, withDeadline } from '../base/queue.ts'
import { encodeHandleOps, entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { GasInBundle } from '../types/gas.ts'
import type { HeadSource } from '../types/ports/chain.ts'
import type { Market } from '../types/ports/data-fee.ts'
import type { PoolEntry, PoolPort } from '../types/ports/pool.ts'
import type { RelayerView, SubmitterPort } from '../types/ports/submitter.ts'
import type { UserOperation } from '../types/userop.ts'
import { bundleFees, deficitOf, feeCeiling } from './bundle-fees.ts'
import { type BundleCheck, unchecked } from './check.ts'
import { closingDelay } from './closing-time.ts'
import type { ConditionsOf } from './conditions.ts'
import { type Draft, stillBound } from './draft.ts'
import { createSelection, type Selection, type SelectionSettings } from './selection.ts'
import type { States } from './states.ts'

export type ProposeSettings = SelectionSettings & {
  chainId: number
  /** `undefined`: the relayer that sends the bundle. */
  beneficiary?: Address | undefined
  /** ms; the longest that an operation waits for company */
  bundleInterval: number
  skipBundleValidation: boolean
  /** wei; a relayer below twice this is its own beneficiary, so that it earns its way up */
  minSignerBalance: bigint
}

export type Proposer = {
  /** Something changed that may make a bundle possible. */
  poke(): void
  relayersChanged(relayers: readonly RelayerView[]): void
  setMode(mode: 'manual' | 'auto'): void
  setInterval(ms: number): void
  /** Resolves when a relayer is idle, or none will be soon. */
  whenIdle(): Promise<void>
  /** Builds whatever can go now and submits it; `undefined` when nothing can. */
  proposeNow(): Promise<Made | undefined>
  /** Ends when no bundle is being built any more. */
  stop(): Promise<void>
}

type Made = { bundleId: string; transactionHash: Hash }
/** What came of a proposal. */
type Outcome =
  | { kind: 'submitted'; made: Made }
  /** All of it was taken out: something else can go. */
  | { kind: 'empty' }
  /** Nothing can go now, or nobody could tell. */
  | { kind: 'nothing' | 'failed' }

type Modules = Context & {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  heads: HeadSource
  /** ms since 1970; when the newest block came to be */
  blockAt: () => number
  market: () => Promise<Market>
  submitter: SubmitterPort
  check: BundleCheck
  /** `undefined`: bundles are sent without conditions. */
  readConditions?: ((ops: readonly UserOperation[]) => Promise<ConditionsOf>) | undefined
  states: States
  /** The most gas that an operation adds to its bundle. */
  gasInBundle: (op: UserOperation) => GasInBundle
  /** What is asked of an operation. */
  preVerificationGas: (op: UserOperation, market: Market) => bigint
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

/** ms after which a bundle that failed is tried again: a node that could not tell may be able to by then. */
const failurePause = 1_000

/**
 * ms after which operations that could not go are looked at again: a chain that mines on demand has no next block to
 * wake us when a back-off is over.
 */
const idlePause = 1_000

/** ms to wait for a relayer that is busy: a block or two of fast chains. */
const busyWait = 5_000

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
  const select = createSelection(initial, modules)
  let timer: Timer | undefined
  /** Pokes when nothing else does. */
  let reminder: Timer | undefined
  let stopped = false
  /** Those who wait for an idle relayer. */
  const waiting = new Set<() => void>()
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
    poke: () => poke(),
    relayersChanged(views) {
      relayers = views
      if (idleRelayer() !== undefined) wakeAll()
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
    async whenIdle() {
      if (stopped || idleRelayer() !== undefined) return
      const { promise, resolve } = deferred<void>()
      waiting.add(resolve)
      await withDeadline(promise, busyWait, () => new Unavailable('no relayer is idle')).catch(() => {})
      waiting.delete(resolve)
    },
    proposeNow: () => tracked(proposeUntilMade()),
    async stop() {
      stopped = true
      clearTimeout(timer)
      clearTimeout(reminder)
      wakeAll()
      await Promise.allSettled(building)
    },
  }

  function wakeAll(): void {
    for (const wake of waiting) wake()
  }

  /** @param least ms to wait at least */
  function poke(least = 0): void {
    if (stopped || mode === 'manual' || timer !== undefined || idleRelayer() === undefined || isEmpty())
      return
    const closing = closingDelay({
      now: now(),
      blockAt: modules.blockAt(),
      blockTime: heads.blockTime,
      bundleInterval,
    })
    const delay = Math.max(least, closing)
    timer = setTimeout(() => {
      timer = undefined
      // At the same time, so that no bundle waits for the check and the signature of another.
      for (const _ of relayers.filter(isIdle)) void proposeOnce()
    }, delay)
  }

  async function proposeOnce(): Promise<void> {
    try {
      const { kind } = await tracked(propose())
      if (kind === 'submitted' || kind === 'empty') poke()
      else if (kind === 'failed') poke(failurePause)
      else remind()
    } catch (error) {
      log.error('bundle not built', { error: describe(error) })
      poke(failurePause)
    }
  }

  function remind(): void {
    if (stopped) return
    clearTimeout(reminder)
    reminder = setTimeout(poke, idlePause)
  }

  async function proposeUntilMade(): Promise<Made | undefined> {
    let outcome = await propose()
    while (outcome.kind === 'empty') outcome = await propose()
    return outcome.kind === 'submitted' ? outcome.made : undefined
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

  function isIdle({ state, address }: RelayerView): boolean {
    return state === 'idle' && !reserved.has(address)
  }

  function idleRelayer(): RelayerView | undefined {
    return relayers.find(isIdle)
  }

  function tracked<T>(work: Promise<T>): Promise<T> {
    const entry = work.catch(() => {})
    building.add(entry)
    void entry.finally(() => building.delete(entry))
    return work
  }

  async function propose(): Promise<Outcome> {
    const relayer = idleRelayer()
    const head = heads.current
    if (stopped || relayer === undefined || head === undefined) return { kind: 'nothing' }
    reserved.add(relayer.address)
    try {
      const market = await modules.market()
      const selected = select(market.quote, head)
      return selected === undefined ? { kind: 'nothing' } : await makeBundle(selected, relayer, market)
    } finally {
      reserved.delete(relayer.address)
    }
  }

  async function makeBundle(
    { pool, entries: selected }: Selection,
    relayer: RelayerView,
    market: Market,
  ): Promise<Outcome> {
    const bundleId = crypto.randomUUID()
    const draft = { bundleId, pool, entries: selected }
    const hashes = selected.map((entry) => entry.hash)
    states.apply(pool.version, pool.bundle(hashes, bundleId))
    const outcome = await checkAndSubmit(draft, relayer, market).catch((error): Outcome => {
      log.warn('bundle not submitted', { bundle: bundleId, error: describe(error) })
      // Without an answer it may be signed and on its way: its operations stay bound until an event frees them.
      if (error instanceof NoAnswer) return { kind: 'failed' }
      const unsent = stillBound(draft).map((entry) => entry.hash)
      states.apply(pool.version, pool.release(unsent))
      return { kind: 'failed' }
    })
    bundles.inc({ chain: chainId, outcome: outcome.kind })
    return outcome
  }

  async function checkAndSubmit(draft: Draft, relayer: RelayerView, market: Market): Promise<Outcome> {
    const { bundleId, pool } = draft
    const beneficiary = beneficiaryFor(relayer)
    const gasLimit = (entries: readonly PoolEntry[]) =>
      modules.gasOfBundle(pool.version, entries, beneficiary, market) + initial.bundleGasLimitMarkup
    const { quote } = market
    const { maxFeePerGas } = quote
    const conditionsOf = await modules.readConditions?.(draft.entries.map((entry) => entry.op))
    const checked = initial.skipBundleValidation
      ? unchecked(stillBound(draft))
      : await check(draft, { from: relayer.address, beneficiary, maxFeePerGas, gasLimit })
    if (checked === 'unknown') return { kind: 'failed' }
    const { entries, authorizations } = checked
    if (entries.length === 0) return { kind: 'empty' }
    const ops = entries.map((entry) => entry.op)
    const operations = entries.map((entry) => entry.hash)
    const deficit = deficitOf(ops, quote, (op) => missingGas(op, market))
    const { transactionHash } = await submitter.submit({
      ...{ chainId, bundleId, operations, relayer: relayer.address, to: entryPoints[pool.version].address },
      data: encodeHandleOps(pool.version, ops, beneficiary),
      gasLimit: gasLimit(entries),
      fees: bundleFees(ops, quote, { leastPriorityFee: initial.minPriorityFee, deficit }),
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
    return { kind: 'submitted', made: { bundleId, transactionHash } }
  }

  function missingGas(op: UserOperation, market: Market): bigint {
    const missing = modules.preVerificationGas(op, market) - op.preVerificationGas
    return missing > 0n ? missing : 0n
  }

  function beneficiaryFor(relayer: RelayerView): Address {
    const poor = relayer.balance < 2n * initial.minSignerBalance
    return poor || initial.beneficiary === undefined ? relayer.address : initial.beneficiary
  }
}
