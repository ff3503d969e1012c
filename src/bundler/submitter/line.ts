import type { Address, PrivateKeyAccount } from 'viem'
import type { Log } from '../../base/log.ts'
import type { RelayerState, RelayerView } from '../../types/ports/submitter.ts'
import type { Slot } from './slot.ts'

/** One relayer: its open nonces and what is known of its account. */
export type Line = {
  readonly address: Address
  /** `undefined`: its key is not configured any more; what the journal holds of it is still watched. */
  account: PrivateKeyAccount | undefined
  /** Transactions of it that may wait for a block at once. A relayer has one, so that no bundle waits for another. */
  readonly depth: number
  /** By nonce. */
  readonly slots: Map<number, Slot>
  /** Next nonce on chain, as last read. */
  chainNonce: number
  /** wei, as last read */
  balance: bigint
  balanceIsStale: boolean
  /** Balance at which a node said that it cannot pay: it is low until it has more. */
  refusedAt: bigint | undefined
  /** Somebody else uses the key: transactions that we do not know wait in the node's pool. */
  foreignPending: boolean
  /** A bundle is being signed, journaled or sent for the first time. */
  submitting: boolean
  /** A reorg happened since its mined nonces were last looked for. */
  lookAtMined: boolean
}

export function newLine(address: Address, account: PrivateKeyAccount | undefined, depth = 1): Line {
  return {
    address,
    account,
    depth,
    slots: new Map(),
    chainNonce: 0,
    balance: 0n,
    balanceIsStale: true,
    refusedAt: undefined,
    foreignPending: false,
    submitting: false,
    lookAtMined: false,
  }
}

/** The lowest nonce that is neither used on chain nor ours. */
export function nextNonce({ chainNonce, slots }: Line): number {
  return Math.max(chainNonce, ...[...slots.keys()].map((nonce) => nonce + 1))
}

/** In the order in which they can be mined. */
export function slotsOf(line: Line): Slot[] {
  return [...line.slots.values()].sort((a, b) => a.nonce - b.nonce)
}

/** Nonces that the node's pool has beyond ours are somebody else's: ours go out when those are settled. */
export function noteForeign(line: Line, pendingNonce: number, log: Log): void {
  const next = nextNonce(line)
  const foreign = pendingNonce > next
  if (foreign && !line.foreignPending) {
    const { address: relayer } = line
    log.warn('unknown transactions of a relayer wait in the node: is its key used elsewhere?', {
      relayer,
      nonce: next,
      pending: pendingNonce,
    })
  }
  line.foreignPending = foreign
}

export function isLow(line: Line, minSignerBalance: bigint): boolean {
  return line.balance < minSignerBalance || (line.refusedAt !== undefined && line.balance <= line.refusedAt)
}

export function viewOf(line: Line, minSignerBalance: bigint): RelayerView {
  const { address, balance } = line
  return { address, state: stateOf(line, minSignerBalance), balance, nextNonce: nextNonce(line) }
}

function stateOf(line: Line, minSignerBalance: bigint): RelayerState {
  if (line.submitting || isFull(line)) return 'busy'
  if (line.foreignPending) return 'recovering'
  return isLow(line, minSignerBalance) ? 'low-balance' : 'idle'
}

/** The next nonce may go out when there is room, and none before it is one that the journal may have to forget. */
function isFull({ slots, depth }: Line): boolean {
  const states = [...slots.values()].map(({ state }) => state)
  if (states.some((state) => state.kind === 'closing' && state.event.kind === 'abandoned')) return true
  return states.filter(({ kind }) => kind === 'pending').length >= depth
}
