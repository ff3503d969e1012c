import type { Hash } from 'viem'
import type { FeeQuote } from '../../types/block.ts'
import type {
  BundleEvent,
  FeeCeiling,
  Inclusion,
  JournaledTransaction,
  Relaying,
  SubmitterChain,
} from '../../types/ports/submitter.ts'
import { bumpFees, type Fees } from './bump.ts'
import type { SendOutcome } from './outcome.ts'
import { type Delivery, newVersion, type Obstacle, pendingSince, type Slot, type SlotState } from './slot.ts'

export type LifecycleSettings = Pick<
  SubmitterChain,
  'reorgDepth' | 'replaceAfterBlocks' | 'maxFeeCeiling' | 'relaying'
>

/**
 * Turns of `replaceAfterBlocks` that a version which cannot be replaced is kept, before the nonce is cancelled. A
 * cancellation costs 21,000 gas at the market's price and brings nothing by itself, so the price gets time to come
 * back (with 3 blocks a turn, 6 minutes of Ethereum); but all that would pay waits behind the nonce, so not for ever.
 */
const patience = 10

/** What was learned about one nonce. Node trouble is no observation. */
export type Observation =
  /** A new version is in the journal. */
  | { kind: 'signed'; transaction: JournaledTransaction; head: number }
  | { kind: 'sent'; hash: Hash; outcome: SendOutcome }
  /** One of our versions is in a canonical block. */
  | { kind: 'found'; inclusion: Inclusion; head: number }
  /**
   * None of our versions is in a block. `chainNonce` is the relayer's next nonce on chain; `market` what a new
   * version should offer, `undefined` when none can be signed now.
   */
  | { kind: 'nowhere'; chainNonce: number; head: number; market: FeeQuote | undefined }

/** What is to be done about it, in order. */
export type Action =
  | { kind: 'tell'; event: BundleEvent }
  | { kind: 'send'; transactions: readonly JournaledTransaction[] }
  /** Sign a version that replaces all before it, journal it, send it. */
  | { kind: 'sign'; as: JournaledTransaction['kind']; fees: Fees }
  /** Find out at once which transaction used the nonce. */
  | { kind: 'look' }
  /** Have the journal forget it, then tell. */
  | { kind: 'close'; event: BundleEvent }

export type Step = { slot: Slot; actions: readonly Action[] }

/** The rules of a nonce's life: what an observation changes and asks for. Pure. */
export function advance(slot: Slot, observation: Observation, settings: LifecycleSettings): Step {
  const { state } = slot
  switch (state.kind) {
    case 'closing':
      return { slot, actions: [] }
    case 'pending':
      return advancePending(slot, state, observation, settings)
    case 'mined':
      return advanceMined(slot, state, observation, settings)
  }
}

type Pending = Extract<SlotState, { kind: 'pending' }>
type Mined = Extract<SlotState, { kind: 'mined' }>
type Nowhere = Extract<Observation, { kind: 'nowhere' }>

function advancePending(
  slot: Slot,
  state: Pending,
  observation: Observation,
  settings: LifecycleSettings,
): Step {
  switch (observation.kind) {
    case 'signed': {
      const version = newVersion(observation.transaction, settings.relaying)
      const pending: Pending = { ...state, since: observation.head, obstacle: 'none', held: false }
      return { slot: { ...slot, versions: [...slot.versions, version], state: pending }, actions: [] }
    }
    case 'sent':
      return sent(slot, state, observation)
    case 'found':
      return mined(slot, observation.inclusion, observation.head, settings)
    case 'nowhere':
      return observation.chainNonce > slot.nonce
        ? missing(slot, state, observation.head)
        : waiting(slot, state, observation, settings)
  }
}

function advanceMined(slot: Slot, state: Mined, observation: Observation, settings: LifecycleSettings): Step {
  switch (observation.kind) {
    case 'signed':
      return { slot, actions: [] }
    case 'sent':
      return { slot: withDelivery(slot, observation.hash, observation.outcome), actions: [] }
    case 'found': {
      const { inclusion, head } = observation
      const unmoved =
        inclusion.block.hash === state.inclusion.block.hash &&
        inclusion.transactionHash === state.inclusion.transactionHash
      return unmoved ? deepEnough(slot, inclusion, head, settings) : mined(slot, inclusion, head, settings)
    }
    case 'nowhere':
      return unmined(slot, state, observation, settings)
  }
}

function sent(slot: Slot, state: Pending, { hash, outcome }: Extract<Observation, { kind: 'sent' }>): Step {
  const next = withDelivery(slot, hash, outcome)
  if (outcome.kind === 'nonce-used') return { slot: next, actions: [{ kind: 'look' }] }
  const neverArrived = next.versions.every(({ delivery }) => delivery === 'refused')
  if (isFinal(outcome) && neverArrived && hasBundle(slot)) {
    return closing(next, { ...about(slot), kind: 'abandoned', reason: outcome.reason })
  }
  if (hash !== slot.versions.at(-1)?.transaction.hash) return { slot: next, actions: [] }
  return { slot: { ...next, state: { ...state, obstacle: obstacleOf(outcome) } }, actions: [] }
}

/** As it is, it can only be forgotten. */
function isFinal(
  outcome: SendOutcome,
): outcome is Extract<SendOutcome, { kind: 'refused' | 'unfunded' | 'stale' }> {
  return outcome.kind === 'refused' || outcome.kind === 'unfunded' || outcome.kind === 'stale'
}

function obstacleOf(outcome: SendOutcome): Obstacle {
  switch (outcome.kind) {
    case 'accepted':
    case 'unknown':
    case 'nonce-used':
      return 'none'
    case 'underpriced':
    case 'unfunded':
    case 'refused':
    case 'stale':
    case 'unclear':
      return outcome.kind
  }
}

function withDelivery(slot: Slot, hash: Hash, outcome: SendOutcome): Slot {
  const versions = slot.versions.map((version) =>
    version.transaction.hash === hash
      ? { ...version, delivery: deliveryAfter(version.delivery, outcome) }
      : version,
  )
  return { ...slot, versions }
}

/** A refusal now does not undo that it may have arrived before. */
function deliveryAfter(before: Delivery, outcome: SendOutcome): Delivery {
  switch (outcome.kind) {
    case 'accepted':
      return 'accepted'
    case 'unknown':
    case 'unclear':
    case 'nonce-used':
      return before === 'accepted' ? 'accepted' : 'unknown'
    case 'underpriced':
    case 'unfunded':
    case 'refused':
    case 'stale':
      return before === 'unsent' ? 'refused' : before
  }
}

function mined(slot: Slot, inclusion: Inclusion, head: number, settings: LifecycleSettings): Step {
  const version = slot.versions.find(({ transaction }) => transaction.hash === inclusion.transactionHash)
  const cancelled = version?.transaction.kind === 'cancel' && hasBundle(slot) && !slot.released
  const event: BundleEvent = cancelled
    ? { ...about(slot), kind: 'abandoned', reason: 'cancelled: it could not be sent', cost: inclusion.cost }
    : { ...about(slot), kind: 'mined', ...inclusion }
  const released = slot.released || inclusion.reverted || cancelled
  const operations = released ? [] : slot.operations
  const next: Slot = { ...slot, released, operations, state: { kind: 'mined', inclusion } }
  const { slot: last, actions } = deepEnough(next, inclusion, head, settings)
  return { slot: last, actions: [{ kind: 'tell', event }, ...actions] }
}

function deepEnough(slot: Slot, inclusion: Inclusion, head: number, settings: LifecycleSettings): Step {
  if (head - inclusion.block.number < settings.reorgDepth) return { slot, actions: [] }
  const { transactionHash } = inclusion
  return closing(slot, { ...about(slot), kind: 'finalized', transactionHash })
}

function unmined(
  slot: Slot,
  state: Mined,
  { chainNonce, head, market }: Nowhere,
  { maxFeeCeiling }: LifecycleSettings,
): Step {
  const used = chainNonce > slot.nonce
  const pending: Pending = { ...pendingSince(head), missingSince: used ? head : undefined }
  const next: Slot = { ...slot, state: pending }
  const { transactionHash } = state.inclusion
  const event: BundleEvent = { ...about(slot), kind: 'unmined', transactionHash }
  const again = used ? [] : sendAgain(next, market, maxFeeCeiling)
  return { slot: next, actions: [...again, { kind: 'tell', event }] }
}

/** Every version in the order of its fees, so that the best one that nodes take stays; what was set free is not sent. */
function sendAgain(slot: Slot, market: FeeQuote | undefined, ceiling: bigint | undefined): Action[] {
  const transactions = slot.versions
    .map(({ transaction }) => transaction)
    .filter(({ kind }) => !slot.released || kind === 'cancel')
  if (transactions.length > 0) return [{ kind: 'send', transactions }]
  const newest = slot.versions.at(-1)
  if (market === undefined || newest === undefined) return []
  const fees = bumpFees(newest.transaction, market, { operator: ceiling, bundle: undefined })
  return fees === undefined ? [] : [{ kind: 'sign', as: 'cancel', fees }]
}

/** Load-balanced nodes lag behind each other: one head that misses our transaction proves nothing, two do. */
function missing(slot: Slot, state: Pending, head: number): Step {
  if (state.missingSince !== undefined && head > state.missingSince) {
    const reason = `nonce ${slot.nonce} was used by another transaction of the relayer`
    return closing(slot, { ...about(slot), kind: 'abandoned', reason })
  }
  const missingSince = state.missingSince ?? head
  return { slot: { ...slot, state: { ...state, missingSince } }, actions: [] }
}

/**
 * Not mined yet: replaced when it is due and can be, else sent again as it is. A bundle is replaced up to what its
 * operations pay; beyond that it waits, sent again at each head, and is cancelled when that takes too long.
 */
function waiting(slot: Slot, state: Pending, { head, market }: Nowhere, settings: LifecycleSettings): Step {
  const pending: Pending = { ...state, missingSince: undefined }
  const version = market && nextVersion(slot, pending, { head, market }, settings)
  if (version?.kind === 'sign') return { slot: { ...slot, state: pending }, actions: [version] }
  const transaction = worthSending(slot)
  if (transaction === undefined) return { slot: { ...slot, state: pending }, actions: [] }
  const send: Action = { kind: 'send', transactions: [transaction] }
  if (version === undefined || state.held) return { slot: { ...slot, state: pending }, actions: [send] }
  const event: BundleEvent = { ...about(slot), kind: 'held', transactionHash: transaction.hash }
  return { slot: { ...slot, state: { ...pending, held: true } }, actions: [send, { kind: 'tell', event }] }
}

/** What replaces the newest version now, `at-ceiling` when what should replace it would cost too much. */
function nextVersion(
  slot: Slot,
  state: Pending,
  { head, market }: { head: number; market: FeeQuote },
  { replaceAfterBlocks, maxFeeCeiling, relaying }: LifecycleSettings,
): Extract<Action, { kind: 'sign' }> | { kind: 'at-ceiling' } | undefined {
  const age = head - state.since
  const isForNodes = awaitsFallback(slot, head, relaying)
  const isOverdue = age >= patience * replaceAfterBlocks && !isForNodes
  const isDue = isUrgent(slot, state) || (age >= replaceAfterBlocks && isReplaceable(slot, state))
  if (!isOverdue && (!isDue || (isForNodes && state.obstacle === 'unclear'))) return undefined
  const newest = slot.versions.at(-1)
  const offer = (bundle: FeeCeiling | undefined) =>
    newest === undefined ? market : bumpFees(newest.transaction, market, { operator: maxFeeCeiling, bundle })
  const mustGo = mustCancel(slot, state)
  const fees = mustGo || !isDue ? undefined : offer(slot.ceiling)
  if (fees !== undefined) return sign('bundle', fees)
  const cancellation = mustGo || isOverdue ? offer(undefined) : undefined
  return cancellation === undefined ? { kind: 'at-ceiling' } : sign('cancel', cancellation)
}

function sign(
  as: JournaledTransaction['kind'],
  { maxFeePerGas, maxPriorityFeePerGas, legacy }: Fees,
): Extract<Action, { kind: 'sign' }> {
  return { kind: 'sign', as, fees: { maxFeePerGas, maxPriorityFeePerGas, legacy } }
}

/** Does not wait for `replaceAfterBlocks`: as it stands it will not be mined. */
function isUrgent(slot: Slot, { obstacle }: Pending): boolean {
  const newest = slot.versions.at(-1)
  if (newest === undefined || obstacle === 'underpriced' || obstacle === 'stale') return true
  if (slot.released && newest.transaction.kind === 'bundle') return true
  return obstacle === 'refused' && !isAccepted(slot)
}

/** Higher fees help nothing while nobody is known to have it. */
function isReplaceable(slot: Slot, { obstacle }: Pending): boolean {
  return obstacle !== 'none' || slot.versions.at(-1)?.delivery !== 'unknown'
}

/** A relay may be wrong, or passed over: what it does with a bundle is no reason to cancel it before the nodes had it. */
function awaitsFallback({ openedAt }: Slot, head: number, relaying: Relaying): boolean {
  if (relaying.mode === 'classic' || relaying.fallbackBlocks === undefined) return false
  return head - openedAt <= relaying.fallbackBlocks
}

/** A plain transfer frees the nonce when the bundle itself must not, or cannot, be mined. */
function mustCancel(slot: Slot, { obstacle }: Pending): boolean {
  const newest = slot.versions.at(-1)
  if (slot.released || newest === undefined || newest.transaction.kind === 'cancel') return true
  if (obstacle === 'stale') return true
  return (obstacle === 'refused' || obstacle === 'unclear') && !isAccepted(slot)
}

function worthSending(slot: Slot): JournaledTransaction | undefined {
  const candidates = slot.versions.filter(
    ({ transaction }) => !slot.released || transaction.kind === 'cancel',
  )
  const best = candidates.findLast(({ delivery }) => delivery !== 'refused') ?? candidates.at(-1)
  return best?.transaction
}

function isAccepted(slot: Slot): boolean {
  return slot.versions.some(({ delivery }) => delivery === 'accepted')
}

/** Not only a cancellation that fills a gap: such a nonce must be used up whatever it takes. */
function hasBundle(slot: Slot): boolean {
  return slot.versions.some(({ transaction }) => transaction.kind === 'bundle')
}

function closing(slot: Slot, event: BundleEvent): Step {
  return { slot: { ...slot, state: { kind: 'closing', event } }, actions: [{ kind: 'close', event }] }
}

function about({
  chainId,
  bundleId,
  operations,
}: Slot): Pick<BundleEvent, 'chainId' | 'bundleId' | 'operations'> {
  return { chainId, bundleId, operations }
}
