import type { Address } from 'viem'
import type { SelectOptions } from '../types/ports/pool.ts'
import { effectivePriorityFee, operationBytes, operationGas } from '../types/userop-cost.ts'
import { type Entry, helpersOf } from './entry.ts'
import type { Limits } from './limits.ts'
import type { Line } from './line.ts'

/** ERC-7562, THROTTLED_ENTITY_BUNDLE_COUNT */
const throttledBundleCount = 4
/** s; an operation that expires sooner may not be mined in time (ERC-7562) */
const validitySlack = 30
/** Operations that do not fit any more before the bundle counts as full. */
const misses = 32
/** Times its back-off that a suspect may be passed over before it goes first. */
const overdue = 2

/** A bundle in the making: what is in it, and what may still join. */
class Draft {
  readonly entries: Entry[] = []
  readonly #senders = new Set<Address>()
  readonly #helpers = new Set<Address>()
  readonly #throttled = new Map<Address, number>()
  #gas = 0n
  #bytes = 0

  constructor(
    readonly options: SelectOptions,
    readonly limits: Limits,
  ) {}

  has(sender: Address): boolean {
    return this.#senders.has(sender)
  }

  /** Adds `entry` unless a cap or a rule on bundles is against it. */
  take(entry: Entry): boolean {
    const { op } = entry
    const [gas, bytes] = [this.#gas + operationGas(op), this.#bytes + operationBytes(op)]
    const { maxGas, maxBytes, maxOperations } = this.options
    if (gas > maxGas || bytes > maxBytes || this.entries.length >= maxOperations) return false
    // ERC-7562, STO-040 and STO-041 within a bundle.
    const helpers = helpersOf(op)
    if (this.#helpers.has(op.sender) || helpers.some(({ address }) => this.#senders.has(address)))
      return false
    const throttled = this.limits.throttledEntities(op)
    if (throttled.some(({ address }) => (this.#throttled.get(address) ?? 0) >= throttledBundleCount))
      return false

    for (const { address } of throttled) this.#throttled.set(address, (this.#throttled.get(address) ?? 0) + 1)
    for (const { address } of helpers) this.#helpers.add(address)
    this.#senders.add(op.sender)
    this.#gas = gas
    this.#bytes = bytes
    this.entries.push(entry)
    return true
  }
}

/**
 * The next bundle from line heads, best first. A staked sender's later nonces follow its first; an unstaked one has
 * one operation a bundle (ERC-7562). A suspect, which failed a bundle check before, goes alone.
 */
export function selectBundle(
  best: Iterable<Entry>,
  lineOf: (entry: Entry) => Line,
  inFlight: (sender: Address) => boolean,
  limits: Limits,
  options: SelectOptions,
): readonly Entry[] {
  const draft = new Draft(options, limits)
  let suspect: Entry | undefined
  let missed = 0
  for (const head of best) {
    if (draft.entries.length >= options.maxOperations || missed >= misses) break
    const trusted = limits.isTrusted({ kind: 'account', address: head.op.sender }, head.facts.sender)
    if (!isRipe(head, options) || (!trusted && (draft.has(head.op.sender) || inFlight(head.op.sender))))
      continue
    if (head.failures > 0) {
      if (isOverdue(head, options.now)) return [head]
      suspect ??= head
      continue
    }
    for (const entry of trusted ? lineOf(head).contiguous() : [head]) {
      if (entry.state.kind !== 'pending' || entry.failures > 0 || !canPay(entry, options)) break
      if (draft.take(entry)) continue
      missed += 1
      break
    }
  }
  return draft.entries.length === 0 && suspect !== undefined ? [suspect] : draft.entries
}

function canPay(entry: Entry, options: SelectOptions): boolean {
  return isRipe(entry, options) && effectivePriorityFee(entry.op, options.baseFee) >= 0n
}

function isRipe({ facts, retryAt }: Entry, { timestamp, now }: SelectOptions): boolean {
  if (retryAt > now || (facts.validAfter !== undefined && facts.validAfter > timestamp)) return false
  return facts.validUntil === undefined || facts.validUntil >= timestamp + validitySlack
}

/** Good operations come before suspects, but not for ever. */
function isOverdue(entry: Entry, now: number): boolean {
  return now - entry.retryAt > overdue * backOff(entry.failures)
}

/** ms that an operation waits after its n-th failed bundle check. */
export const backOff = (failures: number): number => 1_000 * 2 ** (failures - 1)
