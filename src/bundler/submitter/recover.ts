import type { Address } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Log } from '../../base/log.ts'
import { persist } from '../../base/persist.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { OpenBundle, SubmitterChain, SubmitterHost } from '../../types/ports/submitter.ts'
import type { Book } from './book.ts'
import { type Line, newLine, noteForeign, slotsOf } from './line.ts'
import { lookFor, readBalance, readNonce } from './look.ts'
import type { Performer } from './perform.ts'
import { gaps, relayersIn, restoreSlots } from './restore.ts'
import { pendingSlot, type Slot } from './slot.ts'

type Modules = {
  node: NodeClient
  host: SubmitterHost
  performer: Performer
  log: Log
  signal: AbortSignal
}

/** One line for each configured relayer, and for each that the journal has transactions of. */
export function createLines(
  chain: SubmitterChain,
  journal: readonly OpenBundle[],
  { log, depth }: { log: Log; depth: number },
): Map<Address, Line> {
  const lines = new Map<Address, Line>()
  for (const key of chain.relayerKeys) {
    const account = privateKeyToAccount(key)
    lines.set(account.address, newLine(account.address, account, depth))
  }
  for (const relayer of relayersIn(journal)) {
    if (lines.has(relayer)) continue
    log.warn('the journal has transactions of a relayer whose key is not configured', { relayer })
    lines.set(relayer, newLine(relayer, undefined, depth))
  }
  return lines
}

/**
 * Takes up every nonce that the journal holds open: found in a block, sent again as it is, or lost to a stranger.
 * All is read before anything is done. @throws Unavailable from the reading
 */
export async function recoverLines(
  book: Book,
  journal: readonly OpenBundle[],
  modules: Modules,
): Promise<void> {
  const finishes = await Promise.all([...book.lines.values()].map((line) => recover(line)))
  for (const finish of finishes) await finish()

  async function recover(line: Line): Promise<() => Promise<void>> {
    const { node, log, performer } = modules
    const candidates = restoreSlots(journal, { relayer: line.address, head: book.view.head.number })
    const [chainNonce, pending, balance, sightings] = await Promise.all([
      readNonce(node, line.address, 'latest'),
      readNonce(node, line.address, 'pending'),
      readBalance(node, line.address),
      lookFor(node, [...candidates.values()].flat(), book.view),
    ])
    Object.assign(line, { chainNonce, balance, balanceIsStale: false })
    const rivals: Slot[] = []
    for (const [nonce, slots] of candidates) {
      const chosen = slots.find((slot) => sightings.get(slot)?.kind === 'found') ?? slots.at(-1)
      if (chosen !== undefined) line.slots.set(nonce, chosen)
      rivals.push(...slots.filter((slot) => slot !== chosen))
    }
    fillGaps(line)
    noteForeign(line, pending, log)
    return async () => {
      for (const slot of rivals) await abandonRival(slot)
      for (const slot of slotsOf(line)) {
        const sighting = sightings.get(slot)
        const facts = { head: book.view.head.number, chainNonce, market: undefined }
        if (sighting !== undefined) await performer.sighted(line, slot, sighting, facts)
      }
    }
  }

  /** They are signed for at the first head, when the market is known. */
  function fillGaps(line: Line): void {
    const { address: relayer } = line
    for (const nonce of gaps(line.chainNonce, [...line.slots.keys()])) {
      modules.log.warn('a nonce below journaled ones is open: it is filled', { relayer, nonce })
      const empty = { bundleId: crypto.randomUUID(), operations: [], versions: [] }
      const { chainId } = book.chain
      line.slots.set(nonce, pendingSlot({ chainId, relayer, nonce, ...empty }, book.view.head.number))
    }
  }

  async function abandonRival({ chainId, bundleId, operations }: Slot): Promise<void> {
    const { host, performer, ...context } = modules
    await persist('settle', () => host.settle({ chainId, bundleId }), context)
    const reason = 'another bundle took its nonce'
    await performer.tell({ chainId, bundleId, operations, kind: 'abandoned', reason })
  }
}
