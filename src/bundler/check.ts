import type { Address, SignedAuthorization } from 'viem'
import type { Context } from '../base/context.ts'
import { describe, type ErrorWire } from '../base/errors.ts'
import type { HeadSource } from '../types/ports/chain.ts'
import type { PoolEntry } from '../types/ports/pool.ts'
import type { CheckBundleJob, SimulatorPort } from '../types/ports/simulator.ts'
import type { BundleVerdict, Drift } from '../types/verdict.ts'
import { type Draft, stillBound } from './draft.ts'
import type { Judge } from './judge.ts'
import type { States } from './states.ts'

/** The transaction that the bundle is to become. */
export type Carrier = {
  /** The relayer. */
  from: Address
  beneficiary: Address
  maxFeePerGas: bigint
  gasLimit: (entries: readonly PoolEntry[]) => bigint
}

/** Operations that may go, with the EIP-7702 authorizations that their transaction has to carry. */
export type Checked = {
  entries: readonly PoolEntry[]
  authorizations: readonly SignedAuthorization[]
}

/**
 * Simulates a bundle until it passes, taking culprits out. Gives what is left, which passed as a whole on the newest
 * state; what was taken out is bound no more. Unknown: nothing is left, and nobody could tell why.
 */
export type BundleCheck = (draft: Draft, carrier: Carrier) => Promise<Checked | 'unknown'>

/** For who leaves the check out. */
export function unchecked(entries: readonly PoolEntry[]): Checked {
  return { entries, authorizations: entries.flatMap(({ op }) => op.eip7702Auth ?? []) }
}

/** What was validated with other code is invalid, even if it would be valid with the code that is there now. */
const codeChanged = 'COD-010'

const nothing: Checked = { entries: [], authorizations: [] }

export function createBundleCheck(
  { chainId }: { chainId: number },
  modules: Context & {
    heads: HeadSource
    simulator: SimulatorPort
    judge: Judge
    states: States
    now: () => number
  },
): BundleCheck {
  const { heads, simulator, judge, states, log, metrics, now } = modules
  const culprits = metrics.counter('bundle_culprits_total', 'Operations that failed a bundle check.', [
    'chain',
  ])

  return async (draft, carrier) => {
    let entries = stillBound(draft)
    let isClear = true
    while (entries.length > 0) {
      const verdict = await check(draft, entries, carrier)
      const present = stillBound({ ...draft, entries })
      if (present.length < entries.length) {
        // What was checked is not what would be sent.
        entries = present
        continue
      }
      switch (verdict.kind) {
        case 'passes':
          throttleDrifters(draft, entries, verdict.drifts ?? [])
          return { entries, authorizations: verdict.authorizations }
        case 'unknown':
          log.warn('bundle check could not tell', { bundle: draft.bundleId, cause: verdict.cause })
          release(draft, entries)
          return 'unknown'
        case 'fails':
          isClear &&= await takeOut(draft, entries[verdict.index] ?? entries[0], verdict.error)
          break
        case 'fails-whole':
          // Nobody is named: halve until somebody is.
          if (entries.length > 1) release(draft, entries.slice(Math.ceil(entries.length / 2)))
          else fail(draft, entries, verdict.error)
      }
      entries = stillBound({ ...draft, entries })
    }
    return isClear ? nothing : 'unknown'
  }

  function check(
    { pool }: Draft,
    entries: readonly PoolEntry[],
    { gasLimit, ...transaction }: Carrier,
  ): Promise<BundleVerdict> {
    const job: CheckBundleJob = {
      ...transaction,
      chainId,
      version: pool.version,
      ops: entries.map((entry) => entry.op),
      scopes: entries.map((entry) => entry.facts.scope),
      gasLimit: gasLimit(entries),
      block: 'latest',
    }
    return simulator.checkBundle(job).catch((error) => ({ kind: 'unknown', cause: describe(error) }))
  }

  /** EREP-070: who uses less gas than it did is throttled, although its operation goes on. */
  function throttleDrifters({ pool }: Draft, entries: readonly PoolEntry[], drifts: readonly Drift[]): void {
    for (const { index, rule, error } of drifts) {
      const entry = entries[index]
      if (rule !== 'EREP-070' || entry === undefined) continue
      log.warn('an entity is throttled', { operation: entry.hash, reason: error.message })
      pool.throttle(entry.hash, error)
    }
  }

  function release({ pool }: Draft, entries: readonly PoolEntry[]): void {
    states.apply(pool.version, pool.release(entries.map((entry) => entry.hash)))
  }

  function fail(draft: Draft, entries: readonly PoolEntry[], error: ErrorWire): void {
    release(draft, entries)
    for (const { hash } of entries) states.apply(draft.pool.version, draft.pool.failed(hash, error, now()))
  }

  /**
   * An operation that fails on its own is dropped; one that fails only in company tries again later, alone. It stays
   * bound until that is known, so that no other bundle takes it up meanwhile.
   * @returns false when nobody could tell which
   */
  async function takeOut(draft: Draft, culprit: PoolEntry | undefined, error: ErrorWire): Promise<boolean> {
    if (culprit === undefined) return true
    const { bundleId, pool } = draft
    const { hash, op } = culprit
    culprits.inc({ chain: chainId })
    log.info('operation failed the bundle check', {
      operation: hash,
      bundle: bundleId,
      reason: error.message,
    })
    if (error.data?.rule === codeChanged) {
      if (stillBound({ ...draft, entries: [culprit] }).length > 0)
        states.apply(pool.version, pool.drop(hash, error))
      return true
    }
    // The bundle was checked on the newest state, which may be newer than the head that a judge knows.
    await heads.refresh()
    const { verdict } = await judge(op, pool)
    const present = stillBound({ ...draft, entries: [culprit] })
    if (present.length === 0) return true
    switch (verdict.kind) {
      case 'rejected':
        states.apply(pool.version, pool.drop(hash, verdict.error))
        return true
      case 'accepted':
        pool.revalidated(hash, verdict.facts)
        fail(draft, present, error)
        return true
      case 'unknown':
        release(draft, present)
        return false
    }
  }
}
