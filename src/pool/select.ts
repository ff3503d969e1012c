import type { ReputationStatus, SelectOptions } from '../types/ports/pool.ts'
import { effectivePriorityFee } from '../types/userop-cost.ts'
import { createBundle } from './bundle.ts'
import type { FeeSearch } from './fee-index.ts'
import type { Held } from './held.ts'
import type { Participant } from './participant.ts'

/** s that an operation must still be valid, so that it can be mined in time (error table) */
const validitySlack = 30
/**
 * Operations in a row that did not fit any more before a bundle counts as full: enough to fill it up with smaller
 * ones, few enough to be cheap.
 */
const mostMisfits = 32

export type PoolView = {
  /** The lanes' heads, for `selectBundle` those that failed no check. */
  search: FeeSearch
  /** The next nonce of its lane. */
  after(held: Held): Held | undefined
  /** Staked, or vouched for by the operator: several operations of it may travel together. */
  isTrustedSender(held: Held): boolean
  isSenderInFlight(held: Held): boolean
  statusOf(participant: Participant): ReputationStatus
}

/**
 * The operations of the next bundle, those that pay most first, nonces of a key in sequence. An unstaked sender has
 * one operation in flight at a time, since that one may undo what validation of the others relied on. One that failed
 * a bundle check before is for `selectSuspect`.
 */
export function selectBundle(options: SelectOptions, pool: PoolView): readonly Held[] {
  const { search, isTrustedSender } = pool
  const bundle = createBundle(options, pool.statusOf)
  const least = leastFee(options)
  let misfits = 0
  while (bundle.operations.length < options.maxOperations && misfits < mostMisfits) {
    const held = search.next()
    if (held === undefined || effectivePriorityFee(held.op, options.baseFee) < least) break
    if (!isRipe(held, options)) continue
    const isTrusted = isTrustedSender(held)
    if (!isTrusted && (bundle.has(held.account.id) || pool.isSenderInFlight(held))) continue
    const refusal = bundle.add(held)
    if (refusal === 'full') misfits += 1
    if (refusal !== undefined) continue
    misfits = 0
    const next = isTrusted ? pool.after(held) : undefined
    if (next?.entry.state.kind === 'pending' && next.entry.failures === 0) search.push(next)
  }
  return bundle.operations
}

/** The operation that pays most of those that failed a bundle check: it travels alone. */
export function selectSuspect(options: SelectOptions, pool: Omit<PoolView, 'after'>): Held | undefined {
  const alone = createBundle(options, pool.statusOf)
  const least = leastFee(options)
  for (let held = pool.search.next(); held !== undefined; held = pool.search.next()) {
    if (effectivePriorityFee(held.op, options.baseFee) < least) return undefined
    const isFree = pool.isTrustedSender(held) || !pool.isSenderInFlight(held)
    if (isFree && isRipe(held, options) && alone.couldHold(held)) return held
  }
  return undefined
}

/** Never below 0: what cannot pay the base fee goes nowhere. */
const leastFee = ({ leastPriorityFee }: SelectOptions): bigint =>
  leastPriorityFee > 0n ? leastPriorityFee : 0n

/** In its time range for long enough, and not backing off. EntryPoint 0.8 wants to be past `validAfter`. */
function isRipe({ entry, retryAt }: Held, { timestamp, now }: SelectOptions): boolean {
  const { validAfter, validUntil } = entry.facts
  if (retryAt > now) return false
  if (validAfter !== undefined && validAfter >= timestamp) return false
  return validUntil === undefined || validUntil >= timestamp + validitySlack
}
