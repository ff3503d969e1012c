import type { Address, Hash, PrivateKeyAccount } from 'viem'
import { describe, TandemError, Unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { persist } from '../../base/persist.ts'
import type { KeyedMutex } from '../../base/queue.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type {
  BundleOrder,
  JournaledTransaction,
  RelayerState,
  SubmitterHost,
} from '../../types/ports/submitter.ts'
import { readAccessList } from './access-list.ts'
import type { Book } from './book.ts'
import { type Line, nextNonce, viewOf } from './line.ts'
import type { Performer } from './perform.ts'
import { signBundle } from './sign.ts'
import { newVersion, pendingSlot } from './slot.ts'

/**
 * ms until what may not have arrived is sent again, and the longest that doubling makes of it. Heads do it too, but they
 * may be slower than a node's hiccup, and where blocks come on demand there is none without it.
 */
const resendPause = { first: 1_000, longest: 30_000 }

/** ms after which a caller may ask for another relayer's turn: about a block. */
const busyRetryAfter = 1000

/** -32005: this relayer has a transaction in flight, or cannot pay. Nothing was signed. */
export class RelayerNotIdle extends TandemError {
  override readonly name = 'RelayerNotIdle'
  constructor(relayer: Address, state: RelayerState | 'unknown') {
    super(-32005, `relayer is not idle: ${state}`, { relayer, state, retryAfterMs: busyRetryAfter })
  }
}

/** First sending of bundles. */
export type Submission = {
  /**
   * One at a time for a relayer. Whatever is thrown, `abandoned` was told before: a caller that gave up waiting hears
   * it too. @throws RelayerNotIdle; Unavailable when it will never be sent: it is forgotten
   */
  submit(order: BundleOrder): Promise<{ transactionHash: Hash }>
  /** Ends what would happen later by itself. */
  close(): void
}

type Modules = {
  node: NodeClient
  host: SubmitterHost
  performer: Performer
  exclusive: KeyedMutex
  publish: () => Promise<void>
  log: Log
  signal: AbortSignal
  now: () => number
}

export function createSubmission(book: Book, modules: Modules): Submission {
  const { node, host, performer, exclusive, publish, log, signal, now } = modules
  const { chainId, minSignerBalance, accessList, transactionGasCap } = book.chain
  const timers = new Set<Timer>()
  let closed = false

  return {
    submit,
    close() {
      closed = true
      for (const timer of timers) clearTimeout(timer)
    },
  }

  async function submit(order: BundleOrder): Promise<{ transactionHash: Hash }> {
    const { relayer } = order
    const line = book.lines.get(relayer)
    if (line?.account === undefined) return refuse(order, new RelayerNotIdle(relayer, 'unknown'))
    const { state } = viewOf(line, minSignerBalance)
    if (state !== 'idle') return refuse(order, new RelayerNotIdle(relayer, state))
    line.submitting = true
    try {
      const transaction = await sign(line, line.account, order)
      await journalOrForget(transaction, order)
      await sendFirst(line, transaction, order)
      return { transactionHash: transaction.hash }
    } finally {
      line.submitting = false
      await publish()
    }
  }

  async function sign(
    line: Line,
    account: PrivateKeyAccount,
    order: BundleOrder,
  ): Promise<JournaledTransaction> {
    try {
      const wanted = accessList && !order.fees.legacy
      const list = wanted ? await readAccessList(order, { node, transactionGasCap, log }) : undefined
      return await signBundle(account, order, { nonce: nextNonce(line), createdAt: now(), list })
    } catch (error) {
      return refuse(order, new Unavailable('the transaction was not signed', { cause: error }))
    }
  }

  /** Nothing was signed. */
  async function refuse({ bundleId, operations }: BundleOrder, error: TandemError): Promise<never> {
    const reason = describe(error)
    await performer.tell({ chainId, bundleId, operations, kind: 'abandoned', reason })
    throw error
  }

  /**
   * Nothing may be sent that the journal does not hold. When it could not say whether it does, it is made to forget
   * before the operations are free: else a later start would send them a second time.
   */
  async function journalOrForget(transaction: JournaledTransaction, order: BundleOrder): Promise<void> {
    const { bundleId, operations, ceiling, conditions } = order
    try {
      await host.journal({ transaction, operations, ceiling, conditions })
    } catch (error) {
      log.error('transaction not journaled, not sent', { bundle: bundleId, error: describe(error) })
      await persist('settle', () => host.settle({ chainId, bundleId }), { signal, log })
      await performer.tell({ chainId, bundleId, operations, kind: 'abandoned', reason: 'not journaled' })
      throw new Unavailable('the transaction was not journaled', { cause: error })
    }
  }

  async function sendFirst(line: Line, transaction: JournaledTransaction, order: BundleOrder): Promise<void> {
    const { bundleId, operations, ceiling, conditions, relayer } = order
    const { hash, nonce } = transaction
    const versions = [newVersion(transaction, book.chain.relaying)]
    const slot = { chainId, bundleId, relayer, nonce, operations, ceiling, conditions, versions }
    line.slots.set(nonce, pendingSlot(slot, book.view.head.number))
    const outcome = await performer.send(line, transaction)
    const actions = performer.learn(line, nonce, { kind: 'sent', hash, outcome })
    if (line.slots.get(nonce)?.state.kind === 'closing') {
      await closeForSure(line, nonce)
      throw new Unavailable('the transaction was refused')
    }
    await performer.tell({ chainId, bundleId, operations, kind: 'submitted', transactionHash: hash })
    await performer.perform(line, nonce, actions)
    if (outcome.kind === 'unknown') resendLater(line, transaction, resendPause.first)
  }

  /** The caller frees the operations when `submit` fails, so it may only fail once the journal has forgotten them. */
  function closeForSure(line: Line, nonce: number): Promise<void> {
    const close = async () => {
      const slot = line.slots.get(nonce)
      if (slot?.state.kind === 'closing') await performer.close(line, slot, slot.state.event)
    }
    return persist('settle', close, { signal, log })
  }

  /** A node that could not tell is asked again before the next head, which may be long. */
  function resendLater(line: Line, transaction: JournaledTransaction, pause: number): void {
    if (closed || signal.aborted) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      exclusive
        .run(line.address, () => sendAgain(line, transaction))
        .then(
          (unknown) => unknown && resendLater(line, transaction, Math.min(2 * pause, resendPause.longest)),
          (error) => log.warn('transaction not sent again', { error: describe(error) }),
        )
    }, pause)
    timers.add(timer)
  }

  /** Whether it is still not known to have arrived. */
  async function sendAgain(line: Line, { nonce, hash }: JournaledTransaction): Promise<boolean> {
    const newest = line.slots.get(nonce)?.versions.at(-1)
    if (newest?.transaction.hash !== hash || newest.delivery !== 'unknown') return false
    await performer.perform(line, nonce, [{ kind: 'send', transactions: [newest.transaction] }])
    await publish()
    return line.slots.get(nonce)?.versions.at(-1)?.delivery === 'unknown'
  }
}
