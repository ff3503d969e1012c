import type { Hex } from 'viem'
import { describe } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { persist } from '../../base/persist.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type {
  BundleEvent,
  BundleTerms,
  JournaledTransaction,
  Sender,
  SubmitterHost,
} from '../../types/ports/submitter.ts'
import { type Action, advance, type LifecycleSettings, type Observation } from './lifecycle.ts'
import type { Line } from './line.ts'
import { type ChainView, lookFor, readBalance, readNonce, type Sighting } from './look.ts'
import { outcomeOf, type SendOutcome } from './outcome.ts'
import { signCancellation, signReplacement } from './sign.ts'
import type { Slot } from './slot.ts'

type Modules = {
  node: NodeClient
  sender: Sender
  host: SubmitterHost
  log: Log
  signal: AbortSignal
  view: () => ChainView
  now: () => number
}

type Facts = Omit<Extract<Observation, { kind: 'nowhere' }>, 'kind'>

/** Does what the lifecycle asks for. One call at a time for a line. */
export type Performer = {
  /** Lets the lifecycle know; what it asks for is still to be performed. */
  learn(line: Line, nonce: number, observation: Observation): readonly Action[]
  perform(line: Line, nonce: number, actions: readonly Action[]): Promise<void>
  /** What a look at the chain found of a nonce; an unclear one changes nothing. */
  sighted(line: Line, slot: Slot, sighting: Sighting, facts: Facts): Promise<void>
  send(line: Line, transaction: JournaledTransaction): Promise<SendOutcome>
  tell(event: BundleEvent): Promise<void>
  /** Has the journal forget a nonce that is over, then tells. @throws Unavailable when it cannot: it stays open */
  close(line: Line, slot: Slot, event: BundleEvent): Promise<void>
}

export function createPerformer(settings: LifecycleSettings, modules: Modules): Performer {
  const { node, sender, host, log, signal, now } = modules
  return { learn, perform, sighted, send, tell, close }

  function learn(line: Line, nonce: number, observation: Observation): readonly Action[] {
    const before = line.slots.get(nonce)
    if (before === undefined) return []
    const { slot, actions } = advance(before, observation, settings)
    line.slots.set(nonce, slot)
    if (slot.state.kind === 'mined') line.chainNonce = Math.max(line.chainNonce, nonce + 1)
    if (slot.state.kind !== before.state.kind) line.balanceIsStale = true
    return actions
  }

  async function observe(line: Line, nonce: number, observation: Observation): Promise<void> {
    await perform(line, nonce, learn(line, nonce, observation))
  }

  async function perform(line: Line, nonce: number, actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      const slot = line.slots.get(nonce)
      if (slot === undefined) return
      switch (action.kind) {
        case 'tell':
          await tell(action.event)
          break
        case 'send':
          for (const transaction of action.transactions) await sendAndLearn(line, transaction)
          break
        case 'sign':
          await signAndSend(line, slot, action)
          break
        case 'look':
          await lookNow(line, slot)
          break
        case 'close':
          await tryToClose(line, slot, action.event)
          break
      }
    }
  }

  async function sighted(line: Line, { nonce }: Slot, sighting: Sighting, facts: Facts): Promise<void> {
    switch (sighting.kind) {
      case 'found':
        return observe(line, nonce, { ...sighting, head: facts.head })
      case 'nowhere':
        return observe(line, nonce, { kind: 'nowhere', ...facts })
      case 'unclear':
        return
    }
  }

  function tell(event: BundleEvent): Promise<void> {
    return persist('tell what became of a bundle', () => host.bundleEvent(event), { signal, log })
  }

  async function close(line: Line, { chainId, bundleId, nonce }: Slot, event: BundleEvent): Promise<void> {
    await host.settle({ chainId, bundleId })
    line.slots.delete(nonce)
    await tell(event)
  }

  /** What the journal cannot forget now is closed at a later head. */
  async function tryToClose(line: Line, slot: Slot, event: BundleEvent): Promise<void> {
    try {
      await close(line, slot, event)
    } catch (error) {
      log.warn('bundle not settled yet', { bundle: slot.bundleId, error: describe(error) })
    }
  }

  async function send(line: Line, transaction: JournaledTransaction): Promise<SendOutcome> {
    const { head } = modules.view()
    const slot = line.slots.get(transaction.nonce)
    const waited = head.number - (slot?.openedAt ?? head.number)
    const sending = { transaction, conditions: slot?.conditions, head: head.number, waited }
    const outcome = await sender.send(sending).then(
      (): SendOutcome => ({ kind: 'accepted' }),
      (error) => outcomeOf(error),
    )
    const { bundleId: bundle, hash, relayer, nonce } = transaction
    log.debug('transaction sent', { bundle, transaction: hash, relayer, nonce, outcome: outcome.kind })
    if (outcome.kind !== 'accepted' && outcome.kind !== 'nonce-used') {
      const reason = outcome.kind === 'underpriced' ? 'underpriced' : outcome.reason
      log.warn('transaction not taken', { bundle, transaction: hash, relayer, nonce, reason })
    }
    if (outcome.kind === 'unfunded') await noteUnfunded(line)
    return outcome
  }

  async function sendAndLearn(line: Line, transaction: JournaledTransaction): Promise<void> {
    const outcome = await send(line, transaction)
    await observe(line, transaction.nonce, { kind: 'sent', hash: transaction.hash, outcome })
  }

  async function noteUnfunded(line: Line): Promise<void> {
    line.balance = await readBalance(node, line.address).catch(() => line.balance)
    line.refusedAt = line.balance
  }

  /** A version that cannot be made now is made at a later head; those before it stay as they are. */
  async function signAndSend(
    line: Line,
    slot: Slot,
    action: Extract<Action, { kind: 'sign' }>,
  ): Promise<void> {
    try {
      const transaction = await sign(line, slot, action)
      if (transaction === undefined) return
      await host.journal({ transaction, ...termsOf(slot) })
      learn(line, slot.nonce, { kind: 'signed', transaction, head: modules.view().head.number })
      const { chainId, bundleId, operations, nonce } = slot
      const { hash } = transaction
      const actions = learn(line, nonce, { kind: 'sent', hash, outcome: await send(line, transaction) })
      await tell({ chainId, bundleId, operations, kind: 'submitted', transactionHash: hash })
      await perform(line, nonce, actions)
    } catch (error) {
      log.warn('transaction not replaced', { bundle: slot.bundleId, error: describe(error) })
    }
  }

  function termsOf({ operations, ceiling, conditions }: Slot): BundleTerms {
    return { operations, ceiling, conditions }
  }

  async function sign(
    { account }: Line,
    { chainId, bundleId, nonce, versions }: Slot,
    { as, fees }: Extract<Action, { kind: 'sign' }>,
  ): Promise<JournaledTransaction | undefined> {
    const last = versions.at(-1)?.transaction
    if (account === undefined) return undefined
    const createdAt = now()
    if (as === 'bundle') return last && signReplacement(account, last, { fees, createdAt })
    const self = { from: account.address, to: account.address }
    const gas = BigInt(await node.request<Hex>('eth_estimateGas', [self]))
    return signCancellation(account, { chainId, bundleId, nonce, createdAt }, { fees, gas })
  }

  /** "Nonce too low": by one of ours? A node that lags, and knows less than the one that said so, is not heard. */
  async function lookNow(line: Line, slot: Slot): Promise<void> {
    try {
      const view = modules.view()
      const [sightings, chainNonce] = await Promise.all([
        lookFor(node, [slot], view),
        readNonce(node, line.address, 'latest'),
      ])
      const sighting = sightings.get(slot)
      line.chainNonce = Math.max(line.chainNonce, chainNonce)
      if (sighting === undefined || (sighting.kind === 'nowhere' && chainNonce <= slot.nonce)) return
      await sighted(line, slot, sighting, { head: view.head.number, chainNonce, market: undefined })
    } catch (error) {
      log.warn('nonce not looked up', { bundle: slot.bundleId, error: describe(error) })
    }
  }
}
