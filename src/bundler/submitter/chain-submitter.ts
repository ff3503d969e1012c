import type { Address } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, TandemError, Unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { persist } from '../../base/persist.ts'
import { KeyedMutex } from '../../base/queue.ts'
import type { BlockRef, FeeQuote, Head } from '../../types/block.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type {
  BundleOrder,
  JournaledTransaction,
  OpenBundle,
  RelayerState,
  RelayerView,
  Sender,
  SubmitterChain,
  SubmitterHost,
} from '../../types/ports/submitter.ts'
import { isLow, type Line, newLine, nextNonce, slotsOf, viewOf } from './line.ts'
import { type ChainView, lookFor, readBalance, readNonce, type Sighting } from './look.ts'
import { createPerformer } from './perform.ts'
import { gaps, relayersIn, restoreSlots } from './restore.ts'
import { signBundle } from './sign.ts'
import { pendingSlot, type Slot } from './slot.ts'

/** Blocks pass between two heads; this is for chains whose blocks are slower than a node's hiccup. */
const resend = { attempts: 3, pauseMs: 1000 }

/** ms after which a caller may ask for another relayer's turn: about a block. */
const busyRetryAfter = 1000

/** -32005: this relayer has a transaction in flight, or cannot pay. Nothing was signed. */
export class RelayerNotIdle extends TandemError {
  override readonly name = 'RelayerNotIdle'
  constructor(relayer: Address, state: RelayerState | 'unknown') {
    super(-32005, `relayer is not idle: ${state}`, { relayer, state, retryAfterMs: busyRetryAfter })
  }
}

/** The relayers of one chain. */
export type ChainSubmitter = {
  submit(order: BundleOrder): Promise<{ transactionHash: JournaledTransaction['hash'] }>
  onHead(argument: { head: Head; removed: readonly BlockRef[]; fees: FeeQuote }): Promise<void>
  views(): readonly RelayerView[]
  close(): void
}

type Modules = {
  node: NodeClient
  sender: Sender
  host: SubmitterHost
  log: Log
  signal: AbortSignal
  now: () => number
}

/** Takes up what the journal holds open. @throws Unavailable when the node cannot be asked: nothing was changed */
export async function openChain(
  { chain, journal }: { chain: SubmitterChain; journal: readonly OpenBundle[] },
  modules: Modules,
): Promise<ChainSubmitter> {
  const { node, host, signal, now } = modules
  const { chainId } = chain
  const log = modules.log.with({ chainId })
  let view: ChainView = { head: await readHead(node), removed: [] }
  let published = ''
  const lines = new Map<Address, Line>()
  const exclusive = new KeyedMutex()
  const retries = new Set<Timer>()
  const performer = createPerformer(chain, { ...modules, log, view: () => view })

  for (const key of chain.relayerKeys) {
    const account = privateKeyToAccount(key)
    lines.set(account.address, newLine(account.address, account))
  }
  for (const relayer of relayersIn(journal)) {
    if (lines.has(relayer)) continue
    log.warn('the journal has transactions of a relayer whose key is not configured', { relayer })
    lines.set(relayer, newLine(relayer, undefined))
  }
  const recoveries = await Promise.all([...lines.values()].map(recover))
  for (const finish of recoveries) await finish()
  await publish()

  return {
    submit: (order) => exclusive.run(order.relayer, () => submit(order)),
    onHead: (argument) => exclusive.run('heads', () => onHead(argument)),
    views,
    close() {
      for (const timer of retries) clearTimeout(timer)
    },
  }

  function views(): readonly RelayerView[] {
    return [...lines.values()]
      .filter(({ account }) => account !== undefined)
      .map((line) => viewOf(line, chain.minSignerBalance))
  }

  async function publish(): Promise<void> {
    const relayers = views()
    const text = JSON.stringify(relayers, (_key, value) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
    if (text === published) return
    published = text
    await persist('tell the relayers', () => host.relayersChanged({ chainId, relayers }), { signal, log })
  }

  /** Reads all that is needed; what it gives back acts on it and waits for no node. */
  async function recover(line: Line): Promise<() => Promise<void>> {
    const candidates = restoreSlots(journal, { relayer: line.address, head: view.head.number })
    const [latest, pending, balance, sightings] = await Promise.all([
      readNonce(node, line.address, 'latest'),
      readNonce(node, line.address, 'pending'),
      readBalance(node, line.address),
      lookFor(node, [...candidates.values()].flat(), view),
    ])
    line.chainNonce = latest
    line.balance = balance
    line.balanceIsStale = false
    const rivals: Slot[] = []
    for (const [nonce, slots] of candidates) {
      const chosen = slots.find((slot) => sightings.get(slot)?.kind === 'found') ?? slots.at(-1)
      if (chosen !== undefined) line.slots.set(nonce, chosen)
      rivals.push(...slots.filter((slot) => slot !== chosen))
    }
    for (const nonce of gaps(latest, [...line.slots.keys()])) {
      log.warn('a nonce is open below journaled ones: it is filled', { relayer: line.address, nonce })
      const bundleId = crypto.randomUUID()
      const { address: relayer } = line
      const empty = { chainId, bundleId, relayer, nonce, operations: [], versions: [] }
      line.slots.set(nonce, pendingSlot(empty, view.head.number))
    }
    noteForeign(line, pending)
    return async () => {
      for (const slot of rivals) await abandonRival(slot)
      for (const slot of slotsOf(line)) await applySighting(line, slot, sightings.get(slot), latest)
    }
  }

  async function abandonRival({ bundleId, operations }: Slot): Promise<void> {
    await persist('settle', () => host.settle({ chainId, bundleId }), { signal, log })
    await performer.tell({
      chainId,
      bundleId,
      operations,
      kind: 'abandoned',
      reason: 'another bundle took its nonce',
    })
  }

  function noteForeign(line: Line, pendingNonce: number): void {
    const foreign = pendingNonce > nextNonce(line)
    if (foreign && !line.foreignPending) {
      log.warn('unknown transactions of the relayer wait in the node: is its key used elsewhere?', {
        relayer: line.address,
        nonce: nextNonce(line),
        pending: pendingNonce,
      })
    }
    line.foreignPending = foreign
  }

  async function submit(order: BundleOrder): Promise<{ transactionHash: JournaledTransaction['hash'] }> {
    const { bundleId, operations, relayer } = order
    const line = lines.get(relayer)
    if (line?.account === undefined) throw new RelayerNotIdle(relayer, 'unknown')
    const { state } = viewOf(line, chain.minSignerBalance)
    if (state !== 'idle') throw new RelayerNotIdle(relayer, state)
    line.submitting = true
    try {
      const nonce = nextNonce(line)
      const transaction = await signBundle(line.account, order, { nonce, createdAt: now() })
      await journalOrForget(transaction, order)
      const versions = [{ transaction, delivery: 'unsent' as const }]
      const slot = { chainId, bundleId, relayer, nonce, operations, versions }
      line.slots.set(nonce, pendingSlot(slot, view.head.number))
      const { hash } = transaction
      const outcome = await performer.send(line, transaction)
      const actions = performer.learn(line, nonce, { kind: 'sent', hash, outcome })
      if (line.slots.get(nonce)?.state.kind === 'closing') {
        await closeForSure(line, nonce)
        throw new Unavailable('the transaction was refused')
      }
      await performer.tell({ chainId, bundleId, operations, kind: 'submitted', transactionHash: hash })
      await performer.perform(line, nonce, actions)
      if (outcome.kind === 'unknown') resendLater(line, transaction, resend.attempts)
      return { transactionHash: hash }
    } finally {
      line.submitting = false
      await publish()
    }
  }

  /**
   * Nothing may be sent that the journal does not hold. When it could not say whether it does, it is made to forget
   * before the operations are free: else a later start would send them a second time.
   */
  async function journalOrForget(transaction: JournaledTransaction, order: BundleOrder): Promise<void> {
    const { bundleId, operations } = order
    try {
      await host.journal({ transaction, operations })
    } catch (error) {
      log.error('transaction not journaled, not sent', { bundle: bundleId, error: describe(error) })
      await persist('settle', () => host.settle({ chainId, bundleId }), { signal, log })
      await performer.tell({ chainId, bundleId, operations, kind: 'abandoned', reason: 'not journaled' })
      throw new Unavailable('the transaction was not journaled', { cause: error })
    }
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
  function resendLater(line: Line, transaction: JournaledTransaction, attempts: number): void {
    if (attempts === 0 || signal.aborted) return
    const timer = setTimeout(() => {
      retries.delete(timer)
      exclusive
        .run(line.address, () => sendAgain(line, transaction))
        .then(
          (unknown) => unknown && resendLater(line, transaction, attempts - 1),
          (error) => log.warn('transaction not sent again', { error: describe(error) }),
        )
    }, resend.pauseMs)
    retries.add(timer)
  }

  /** Whether it is still not known to have arrived. */
  async function sendAgain(line: Line, { nonce, hash }: JournaledTransaction): Promise<boolean> {
    const newest = line.slots.get(nonce)?.versions.at(-1)
    if (newest?.transaction.hash !== hash || newest.delivery !== 'unknown') return false
    await performer.perform(line, nonce, [{ kind: 'send', transactions: [newest.transaction] }])
    await publish()
    return line.slots.get(nonce)?.versions.at(-1)?.delivery === 'unknown'
  }

  async function onHead(argument: {
    head: Head
    removed: readonly BlockRef[]
    fees: FeeQuote
  }): Promise<void> {
    const { head, removed, fees } = argument
    view = { head: { number: head.number, hash: head.hash }, removed }
    if (removed.length > 0) for (const line of lines.values()) line.lookAtMined = true
    try {
      await look(fees)
      await refreshBalances()
    } catch (error) {
      log.warn('relayers not looked at', { block: head.number, error: describe(error) })
    }
    await publish()
  }

  /** One batch of reads for all relayers, then each acts on what was found for it. */
  async function look(fees: FeeQuote): Promise<void> {
    const watched = [...lines.values()].filter((line) => !line.submitting)
    const targets = watched.map((line) => ({ line, slots: slotsOf(line).filter(isDue(line)) }))
    const [sightings, nonces] = await Promise.all([
      lookFor(
        node,
        targets.flatMap(({ slots }) => slots),
        view,
      ),
      Promise.all(targets.map(readNonces)),
    ])
    await Promise.all(
      targets.map(async ({ line, slots }, index) => {
        if (line.submitting) return
        const nonce = nonces[index]
        await exclusive.run(line.address, () => follow(line, slots, sightings, nonce, fees))
      }),
    )
  }

  type Nonces = { latest: number; pending: number | undefined } | undefined

  async function readNonces({ line, slots }: { line: Line; slots: readonly Slot[] }): Promise<Nonces> {
    if (slots.length === 0 && !line.foreignPending && !line.lookAtMined) return undefined
    const [latest, pending] = await Promise.all([
      readNonce(node, line.address, 'latest'),
      line.foreignPending ? readNonce(node, line.address, 'pending') : undefined,
    ])
    return { latest, pending }
  }

  /** Mined nonces are looked for again after a reorg, and before they are forgotten. */
  function isDue(line: Line): (slot: Slot) => boolean {
    return ({ state }) => {
      switch (state.kind) {
        case 'pending':
          return true
        case 'mined':
          return line.lookAtMined || view.head.number - state.inclusion.block.number >= chain.reorgDepth
        case 'closing':
          return false
      }
    }
  }

  async function follow(
    line: Line,
    slots: readonly Slot[],
    sightings: ReadonlyMap<Slot, Sighting>,
    nonces: Nonces,
    fees: FeeQuote,
  ): Promise<void> {
    if (nonces !== undefined) {
      // A reorg may give nonces back that a stranger had used.
      line.chainNonce = line.lookAtMined ? nonces.latest : Math.max(line.chainNonce, nonces.latest)
      if (nonces.pending !== undefined) noteForeign(line, nonces.pending)
    }
    line.lookAtMined &&= slots.some((slot) => sightings.get(slot)?.kind === 'unclear')
    const chainNonce = nonces?.latest ?? line.chainNonce
    for (const slot of slots) {
      if (line.slots.get(slot.nonce) !== slot) continue
      await applySighting(line, slot, sightings.get(slot), chainNonce, fees)
    }
    for (const slot of slotsOf(line)) {
      if (slot.state.kind !== 'closing') continue
      await performer.perform(line, slot.nonce, [{ kind: 'close', event: slot.state.event }])
    }
  }

  async function applySighting(
    line: Line,
    { nonce }: Slot,
    sighting: Sighting | undefined,
    chainNonce: number,
    fees?: FeeQuote,
  ): Promise<void> {
    const head = view.head.number
    const market = line.account === undefined ? undefined : fees
    switch (sighting?.kind) {
      case 'found':
        return performer.observe(line, nonce, { ...sighting, head })
      case 'nowhere':
        return performer.observe(line, nonce, { kind: 'nowhere', chainNonce, head, market })
      case 'unclear':
      case undefined:
        return
    }
  }

  async function refreshBalances(): Promise<void> {
    const wanted = [...lines.values()].filter(
      (line) => line.balanceIsStale || isLow(line, chain.minSignerBalance),
    )
    await Promise.all(
      wanted.map(async (line) => {
        line.balance = await readBalance(node, line.address)
        line.balanceIsStale = false
        if (line.refusedAt !== undefined && line.balance > line.refusedAt) line.refusedAt = undefined
      }),
    )
  }
}

async function readHead(node: NodeClient): Promise<BlockRef> {
  const block = await node.request<{ number: string; hash: BlockRef['hash'] } | null>(
    'eth_getBlockByNumber',
    ['latest', false],
  )
  if (block === null) throw new Unavailable('the node has no newest block')
  return { number: Number(block.number), hash: block.hash }
}
