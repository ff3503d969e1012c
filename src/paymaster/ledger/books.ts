import type { Context } from '../../base/context.ts'
import { persist } from '../../base/persist.ts'
import type { BlockRef, HeadChange } from '../../types/block.ts'
import type { Claim, SponsorshipKey } from '../../types/paymaster/sponsorship.ts'
import type { LedgerWrite, PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { IndexedEvent } from '../../types/ports/store.ts'
import { createLedger, type Ledger, type LedgerChange } from './ledger.ts'

/** The ledger of all chains, stored. */
export type Books = {
  readonly ledger: Ledger
  /** Resolves when the promise is stored, so that its signature may leave. @throws PaymasterError, Unavailable */
  reserve(key: SponsorshipKey, claim: Claim): Promise<void>
  /** Follows a chain from where it was left. To be told of every head after the block index has it. */
  follow(chain: FollowedChain): Promise<(change: HeadChange) => Promise<void>>
}

export type FollowedChain = {
  chainId: number
  /** blocks */
  reorgDepth: number
  /** The newest block now. */
  head: BlockRef
  /** UserOperationEvents of canonical blocks, both ends included. */
  payments(from: number, to: number): Promise<readonly IndexedEvent[]>
  isCanonical(block: BlockRef): Promise<boolean>
}

/** With what the store holds. */
export async function openBooks(
  options: { signal: AbortSignal },
  { store, log }: Context & { store: PaymasterStorePort },
): Promise<Books> {
  const ledger = createLedger({
    sponsorships: await store.sponsorships(undefined),
    totals: await store.totals(undefined),
  })
  const waiting = { signal: options.signal, log }

  return {
    ledger,

    async reserve(key, claim) {
      const isNew = !ledger.has(key, claim.userOpHash)
      const change = ledger.reserve(key, claim)
      try {
        await store.saveLedger(change)
      } catch (error) {
        if (isNew) ledger.withdraw(key, claim)
        throw error
      }
    },

    async follow(chain) {
      const { chainId, reorgDepth } = chain
      let position = await recover(chain)
      /** The newest blocks, oldest first: the time of the one that no reorg reaches. */
      let recent: { number: number; timestamp: number }[] = []

      return async ({ head, added, removed }) => {
        const changes: LedgerChange[] = removed.map((block) => ledger.unsettle(chainId, block))
        const lowest = Math.min(position.number, ...removed.map(({ number }) => number - 1))
        const events = await persist('payments', () => chain.payments(lowest + 1, head.number), waiting)
        changes.push(...settled(chainId, events))

        recent = recent.filter(({ number }) => number <= lowest)
        recent = [...recent, ...added.map(({ number, timestamp }) => ({ number, timestamp }))]
        recent = recent.slice(-(reorgDepth + 1))
        const final = recent.findLast(({ number }) => number <= head.number - reorgDepth)
        if (final !== undefined) changes.push(ledger.finalize(chainId, final))

        position = { number: head.number, hash: head.hash }
        const write = together(changes, { chainId, block: position })
        await persist('store payments', () => store.saveLedger(write), waiting)
      }
    },
  }

  /** What happened while nobody looked: payments that a reorg undid are undone; the rest comes with the next head. */
  async function recover(chain: FollowedChain): Promise<BlockRef> {
    const { chainId, reorgDepth, head } = chain
    const known = await store.ledgerPosition({ chainId })
    if (known === undefined) {
      await store.saveLedger(together([], { chainId, block: head }))
      return head
    }
    if (await persist('position of the ledger', () => chain.isCanonical(known), waiting)) return known
    const undone: LedgerChange[] = []
    for (const block of ledger.blocksOf(chainId))
      if (!(await persist('a payment', () => chain.isCanonical(block), waiting)))
        undone.push(ledger.unsettle(chainId, block))
    const from = { number: Math.max(0, known.number - reorgDepth), hash: known.hash }
    await store.saveLedger(together(undone, undefined))
    return from
  }

  function settled(chainId: number, events: readonly IndexedEvent[]): LedgerChange[] {
    const paid = events.flatMap(({ paymaster, ...event }) =>
      paymaster === undefined ? [] : [{ ...event, paymaster }],
    )
    return [...Map.groupBy(paid, ({ block }) => block.hash).values()].flatMap((ofBlock) => {
      const block = ofBlock[0]?.block
      return block === undefined ? [] : [ledger.settle(chainId, block, ofBlock)]
    })
  }
}

/** Changes one after the other, as one write: the last word on each sponsorship counts. */
function together(changes: readonly LedgerChange[], position: LedgerWrite['position']): LedgerWrite {
  const put = new Map<string, LedgerWrite['put'][number]>()
  const remove = new Map<string, SponsorshipKey>()
  for (const change of changes) {
    for (const sponsorship of change.put) {
      put.set(nameOf(sponsorship), sponsorship)
      remove.delete(nameOf(sponsorship))
    }
    for (const key of change.remove) {
      put.delete(nameOf(key))
      remove.set(nameOf(key), key)
    }
  }
  const totals = changes.flatMap((change) => change.totals)
  const write = { put: [...put.values()], remove: [...remove.values()], totals }
  return position === undefined ? write : { ...write, position }
}

const nameOf = ({ chainId, paymaster, sender, nonce }: SponsorshipKey): string =>
  `${chainId} ${paymaster} ${sender} ${nonce}`
