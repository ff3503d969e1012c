import type { Address, Hash } from 'viem'
import type { Context } from '../base/context.ts'
import { describe, type ErrorWire, NoAnswer } from '../base/errors.ts'
import type { FeeQuote } from '../types/block.ts'
import { type EntryPointVersion, encodeHandleOps, entryPoints } from '../types/entrypoint.ts'
import type { FeeOracle, HeadSource } from '../types/ports/chain.ts'
import type { PoolEntry, PoolPort } from '../types/ports/pool.ts'
import type { CheckBundleJob, SimulatorPort } from '../types/ports/simulator.ts'
import type { RelayerView, SubmitterPort } from '../types/ports/submitter.ts'
import type { BundleVerdict } from '../types/verdict.ts'
import { closingDelay } from './closing-time.ts'
import type { Judge } from './judge.ts'
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
  proposeNow(): Promise<{ bundleId: string; transactionHash: Hash } | undefined>
  /** Ends when no bundle is being built any more. */
  stop(): Promise<void>
}

type Modules = Context & {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  heads: HeadSource
  headSeenAt: () => number
  fees: FeeOracle
  simulator: SimulatorPort
  submitter: SubmitterPort
  judge: Judge
  states: States
  gasOfBundle: (version: EntryPointVersion, entries: readonly PoolEntry[], beneficiary: Address) => bigint
  now: () => number
}

/** Turns pooled operations into bundles, when there is a reason to. One bundle a relayer at a time. */
export function createProposer(initial: ProposeSettings, modules: Modules): Proposer {
  const { pools, heads, fees, simulator, submitter, judge, states, log, metrics, now } = modules
  const { chainId } = initial
  let mode: 'manual' | 'auto' = 'auto'
  let bundleInterval = initial.bundleInterval
  let relayers: readonly RelayerView[] = []
  /** Relayers that a bundle is being built for, although they still look idle. */
  const reserved = new Set<Address>()
  const building = new Set<Promise<unknown>>()
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
      poke()
    },
    setInterval(ms) {
      bundleInterval = ms
      poke()
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

  async function propose(): Promise<{ bundleId: string; transactionHash: Hash } | undefined> {
    const relayer = idleRelayer()
    const head = heads.current
    if (stopped || relayer === undefined || head === undefined) return undefined
    reserved.add(relayer.address)
    try {
      const quote = await fees.quote()
      const selected = selectBest(quote, head.timestamp)
      if (selected === undefined) return undefined
      return await makeBundle(selected.pool, selected.entries, relayer, quote)
    } finally {
      reserved.delete(relayer.address)
    }
  }

  /** A bundle is of one EntryPoint: that one whose operations bring the most gas. */
  function selectBest(
    quote: FeeQuote,
    timestamp: number,
  ): { pool: PoolPort; entries: readonly PoolEntry[] } | undefined {
    let best: { pool: PoolPort; entries: readonly PoolEntry[] } | undefined
    for (const pool of pools.values()) {
      if (pool.size === 0) continue
      const entries = pool.select({
        timestamp,
        now: now(),
        baseFee: quote.baseFee,
        maxGas: initial.transactionGasCap,
        maxBytes: initial.transactionBytesCap,
        maxOperations: initial.bundleSize,
      })
      if (entries.length > (best?.entries.length ?? 0)) best = { pool, entries }
    }
    return best
  }

  async function makeBundle(
    pool: PoolPort,
    selected: readonly PoolEntry[],
    relayer: RelayerView,
    quote: FeeQuote,
  ): Promise<{ bundleId: string; transactionHash: Hash } | undefined> {
    const bundleId = crypto.randomUUID()
    const beneficiary = beneficiaryFor(relayer)
    states.apply(
      pool.version,
      pool.bundle(
        selected.map((entry) => entry.hash),
        bundleId,
      ),
    )
    let entries = withinCaps(pool, selected, beneficiary)
    try {
      if (!initial.skipBundleValidation) entries = await checked(pool, entries, relayer, beneficiary, quote)
      if (entries.length === 0) {
        bundles.inc({ chain: chainId, outcome: 'empty' })
        return undefined
      }
      const ops = entries.map((entry) => entry.op)
      const operations = entries.map((entry) => entry.hash)
      const { transactionHash } = await submitter.submit({
        chainId,
        bundleId,
        relayer: relayer.address,
        to: entryPoints[pool.version].address,
        data: encodeHandleOps(pool.version, ops, beneficiary),
        gasLimit: gasLimit(pool.version, entries, beneficiary),
        fees: quote,
        authorizations: ops.flatMap((op) => (op.eip7702Auth === undefined ? [] : [op.eip7702Auth])),
        operations,
      })
      bundles.inc({ chain: chainId, outcome: 'submitted' })
      sizes.observe({ chain: chainId }, entries.length)
      log.info('bundle submitted', {
        bundle: bundleId,
        transaction: transactionHash,
        operations: operations.length,
      })
      return { bundleId, transactionHash }
    } catch (error) {
      bundles.inc({ chain: chainId, outcome: 'failed' })
      log.warn('bundle not submitted', { bundle: bundleId, error: describe(error) })
      // Without an answer it may be signed and on its way: its operations stay bound until an event frees them.
      if (!(error instanceof NoAnswer)) release(pool, entries)
      return undefined
    }
  }

  function beneficiaryFor(relayer: RelayerView): Address {
    const poor = relayer.balance < 2n * initial.minSignerBalance
    return poor || initial.beneficiary === undefined ? relayer.address : initial.beneficiary
  }

  function gasLimit(version: EntryPointVersion, entries: readonly PoolEntry[], beneficiary: Address): bigint {
    return modules.gasOfBundle(version, entries, beneficiary) + initial.bundleGasLimitMarkup
  }

  /** The pool counts operations; the transaction around them costs too. The last ones wait when it does not fit. */
  function withinCaps(
    pool: PoolPort,
    selected: readonly PoolEntry[],
    beneficiary: Address,
  ): readonly PoolEntry[] {
    let entries = selected
    while (entries.length > 1 && gasLimit(pool.version, entries, beneficiary) > initial.transactionGasCap) {
      release(pool, entries.slice(-1))
      entries = entries.slice(0, -1)
    }
    return entries
  }

  function release(pool: PoolPort, entries: readonly PoolEntry[]): void {
    states.apply(pool.version, pool.release(entries.map((entry) => entry.hash)))
  }

  /** Simulates the bundle until it passes, taking culprits out. What is left passed as a whole, on the newest state. */
  async function checked(
    pool: PoolPort,
    all: readonly PoolEntry[],
    relayer: RelayerView,
    beneficiary: Address,
    quote: FeeQuote,
  ): Promise<readonly PoolEntry[]> {
    let entries = all
    while (entries.length > 0) {
      const verdict = await check({
        chainId,
        version: pool.version,
        ops: entries.map((entry) => entry.op),
        beneficiary,
        from: relayer.address,
        gasLimit: gasLimit(pool.version, entries, beneficiary),
        maxFeePerGas: quote.maxFeePerGas,
        block: 'latest',
      })
      switch (verdict.kind) {
        case 'passes':
          return entries
        case 'unknown':
          log.warn('bundle check could not tell', { cause: verdict.cause })
          release(pool, entries)
          return []
        case 'fails': {
          const culprit = entries[verdict.index] ?? entries[0]
          if (culprit === undefined) return []
          release(pool, [culprit])
          await blame(pool, culprit, verdict.error)
          entries = entries.filter((entry) => entry !== culprit)
          break
        }
        case 'fails-whole':
          if (entries.length === 1) {
            release(pool, entries)
            for (const { hash } of entries)
              states.apply(pool.version, pool.failed(hash, verdict.error, now()))
            return []
          }
          // Nobody is named: halve until somebody is.
          release(pool, entries.slice(Math.ceil(entries.length / 2)))
          entries = entries.slice(0, Math.ceil(entries.length / 2))
      }
    }
    return entries
  }

  function check(job: CheckBundleJob): Promise<BundleVerdict> {
    return simulator.checkBundle(job).catch((error) => ({ kind: 'unknown', cause: describe(error) }))
  }

  /** An operation that fails on its own is dropped; one that fails only in company tries again later, alone. */
  async function blame(pool: PoolPort, culprit: PoolEntry, error: ErrorWire): Promise<void> {
    bundles.inc({ chain: chainId, outcome: 'culprit' })
    log.info('operation failed the bundle check', { operation: culprit.hash, reason: error.message })
    const { verdict } = await judge(culprit.op, pool)
    switch (verdict.kind) {
      case 'rejected':
        states.apply(pool.version, pool.drop(culprit.hash, verdict.error))
        break
      case 'accepted':
        pool.revalidated(culprit.hash, verdict.facts)
        states.apply(pool.version, pool.failed(culprit.hash, error, now()))
        break
      case 'unknown':
        break
    }
  }
}
