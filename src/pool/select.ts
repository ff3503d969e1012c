import type { ReputationStatus, SelectOptions } from '../types/ports/pool.ts'
import { effectivePriorityFee } from '../types/userop-cost.ts'
import { isOverdue } from './back-off.ts'
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

type PoolView = {
  /** The lanes' heads. */
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
 * a bundle check before travels alone, when nothing else can go or when it has been passed over for long.
 */
export function selectBundle(options: SelectOptions, pool: PoolView): readonly Held[] {
  const { search, isTrustedSender } = pool
  const bundle = createBundle(options, pool.statusOf)
  const least = options.leastPriorityFee > 0n ? options.leastPriorityFee : 0n
  let misfits = 0
  let suspect: Held | undefined
  while (bundle.operations.length < options.maxOperations && misfits < mostMisfits) {
    const held = search.next()
    if (held === undefined || effectivePriorityFee(held.op, options.baseFee) < least) break
    if (!isRipe(held, options)) continue
    const isTrusted = isTrustedSender(held)
    if (!isTrusted && (bundle.has(held.account.id) || pool.isSenderInFlight(held))) continue
    if (held.entry.failures > 0) {
      if (!bundle.couldHold(held)) continue
      if (isOverdue(held, options.now)) return [held]
      suspect ??= held
      continue
    }
    const refusal = bundle.add(held)
    if (refusal === 'full') misfits += 1
    if (refusal !== undefined) continue
    misfits = 0
    const next = isTrusted ? pool.after(held) : undefined
    if (next?.entry.state.kind === 'pending') search.push(next)
  }
  return bundle.operations.length === 0 && suspect !== undefined ? [suspect] : bundle.operations
}

/** In its time range for long enough, and not backing off. EntryPoint 0.8 wants to be past `validAfter`. */
function isRipe({ entry, retryAt }: Held, { timestamp, now }: SelectOptions): boolean {
  const { validAfter, validUntil } = entry.facts
  if (retryAt > now) return false
  if (validAfter !== undefined && validAfter >= timestamp) return false
  return validUntil === undefined || validUntil >= timestamp + validitySlack
}
