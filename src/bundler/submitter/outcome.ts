import { describe, Unavailable } from '../../base/errors.ts'
import { NodeError } from '../../chain/node-error.ts'

/** What became of sending one signed transaction. */
export type SendOutcome =
  /** In the node's pool, now or already. */
  | { kind: 'accepted' }
  /** Nobody could tell: it may or may not have arrived. */
  | { kind: 'unknown'; reason: string }
  /** Another transaction with its nonce is in a block. */
  | { kind: 'nonce-used' }
  /** The fees are too low for this pool, or for replacing what it has. */
  | { kind: 'underpriced' }
  /** The relayer cannot pay for it. */
  | { kind: 'unfunded'; reason: string }
  /** It can never be mined as it is. */
  | { kind: 'refused'; reason: string }
  /** What it was sent on condition of is not so any more. */
  | { kind: 'stale'; reason: string }
  /** The node said no in words that we do not know. */
  | { kind: 'unclear'; reason: string }

/**
 * The nodes share one code (-32000) for every refusal and differ only in words: geth, reth, erigon, nethermind,
 * besu, anvil, in this order of precedence. Lower case; a match is "contains". The tests name the sources.
 */
const vocabulary: readonly {
  kind: Exclude<SendOutcome['kind'], 'unknown' | 'unclear' | 'stale'>
  words: readonly string[]
}[] = [
  {
    kind: 'accepted',
    words: [
      'already known',
      'alreadyknown',
      'known transaction',
      'already imported',
      'already in the pool',
      'existing txn with same hash',
    ],
  },
  // Of an EIP-7702 authorization, not of the transaction.
  { kind: 'refused', words: ['authority nonce too low'] },
  { kind: 'nonce-used', words: ['nonce too low', 'noncetoolow', 'oldnonce', 'nonce has already been used'] },
  {
    kind: 'underpriced',
    words: [
      'underpriced',
      'base fee',
      'fee too low',
      'feetoolow',
      'could not replace existing',
      'to replace existing',
      'gas price too low',
      'gas price below',
      'below minimum',
    ],
  },
  {
    kind: 'unfunded',
    words: ['insufficient funds', 'insufficientfunds', 'insufficient balance', 'upfront cost exceeds'],
  },
  {
    kind: 'refused',
    words: [
      'intrinsic gas',
      'intrinsicgas',
      'floor data gas',
      'block gas limit',
      'gas limit too high',
      'gas limit is too high',
      'gas limit reached',
      'gaslimitexceeded',
      'exceeds the configured cap',
      'fee cap exceeded',
      'transaction gas limit',
      'oversized data',
      'transaction too large',
      'rlptoolong',
      'invalid sender',
      'failed to recover sender',
      'sender not an eoa',
      'sender is not an eoa',
      'invalid signature',
      'invalid chain id',
      'wrong chain id',
      'wrong chainid',
      'chainid not supported',
      'signed for another chain',
      'type not supported',
      'not supported transaction type',
      'unsupported transaction type',
      'invalid transaction type',
      'transaction type is not activated',
      'authorization list not supported',
      'authorization lists are not supported',
    ],
  },
]

/**
 * A relay's no. It binds nobody: the relay has the transaction, and may pass it on all the same. So it says nothing
 * about who can pay or what can be mined.
 */
export class RelayRefusal extends Unavailable {
  override readonly name = 'RelayRefusal'
}

/** A transaction was rejected together with its preconditions (ERC-7796): they do not hold, unless it says otherwise. */
export class ConditionsFailed extends NodeError {
  override readonly name = 'ConditionsFailed'
}

/** Reads what a `Sender` threw. Anything but an answer is "could not tell". */
export function outcomeOf(error: unknown): SendOutcome {
  const reason = describe(error)
  if (error instanceof ConditionsFailed) return { kind: kindOf(error.message) ?? 'stale', reason }
  if (error instanceof NodeError) return { kind: kindOf(error.message) ?? 'unclear', reason }
  if (!(error instanceof RelayRefusal)) return { kind: 'unknown', reason }
  const kind = kindOf(error.what)
  return { kind: kind === 'refused' || kind === 'unfunded' || kind === undefined ? 'unclear' : kind, reason }
}

function kindOf(message: string): (typeof vocabulary)[number]['kind'] | undefined {
  const text = message.toLowerCase()
  return vocabulary.find(({ words }) => words.some((word) => text.includes(word)))?.kind
}
