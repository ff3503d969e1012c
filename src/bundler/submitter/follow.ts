import type { Log } from '../../base/log.ts'
import type { KeyedMutex } from '../../base/queue.ts'
import type { FeeQuote } from '../../types/block.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { Book } from './book.ts'
import { type Line, noteForeign, slotsOf } from './line.ts'
import { lookFor, readNonce, type Sighting } from './look.ts'
import type { Performer } from './perform.ts'
import type { Slot } from './slot.ts'

type Modules = { node: NodeClient; performer: Performer; exclusive: KeyedMutex; log: Log }

type Nonces = { latest: number; pending: number | undefined }

/**
 * What the newest head of the book's view means for every open nonce of `lines`. One batch of reads for all, then each
 * acts on what was found for it. Gives back those that it could not be told of yet: they are just sending, or were
 * while the chain was read. @throws Unavailable
 */
export async function followHead(
  book: Book,
  { lines, fees }: { lines: readonly Line[]; fees: FeeQuote },
  { node, performer, exclusive, log }: Modules,
): Promise<readonly Line[]> {
  const missed = new Set(lines.filter((line) => line.submitting))
  const targets = lines
    .filter((line) => !missed.has(line))
    .map((line) => ({ line, slots: slotsOf(line).filter((slot) => isDue(book, line, slot)) }))
  const due = targets.flatMap(({ slots }) => slots)
  const [sightings, nonces] = await Promise.all([
    lookFor(node, due, book.view),
    Promise.all(targets.map(({ line, slots }) => readNonces(node, line, slots))),
  ])
  await Promise.all(
    targets.map(async ({ line, slots }, index) => {
      if (line.submitting) missed.add(line)
      else await exclusive.run(line.address, () => follow(line, slots, nonces[index]))
    }),
  )
  return [...missed]

  async function follow(line: Line, slots: readonly Slot[], read: Nonces | undefined): Promise<void> {
    if (read !== undefined) {
      // A reorg may give nonces back that a stranger had used.
      line.chainNonce = line.lookAtMined ? read.latest : Math.max(line.chainNonce, read.latest)
      if (read.pending !== undefined) noteForeign(line, read.pending, log)
    }
    line.lookAtMined &&= slots.some((slot) => sightings.get(slot)?.kind === 'unclear')
    const facts = {
      head: book.view.head.number,
      chainNonce: read?.latest ?? line.chainNonce,
      market: line.account === undefined ? undefined : fees,
    }
    for (const slot of slots) {
      const sighting: Sighting | undefined = sightings.get(slot)
      const present = line.slots.get(slot.nonce)
      if (present === slot && sighting !== undefined) await performer.sighted(line, slot, sighting, facts)
      else if (present !== undefined) missed.add(line)
    }
    for (const slot of slotsOf(line)) {
      if (slot.state.kind !== 'closing') continue
      await performer.perform(line, slot.nonce, [{ kind: 'close', event: slot.state.event }])
    }
  }
}

/** Mined nonces are looked for again after a reorg, and before they are forgotten. */
function isDue({ view, chain }: Book, line: Line, { state }: Slot): boolean {
  switch (state.kind) {
    case 'pending':
      return true
    case 'mined':
      return line.lookAtMined || view.head.number - state.inclusion.block.number >= chain.reorgDepth
    case 'closing':
      return false
  }
}

async function readNonces(node: NodeClient, line: Line, due: readonly Slot[]): Promise<Nonces | undefined> {
  if (due.length === 0 && !line.foreignPending && !line.lookAtMined) return undefined
  const [latest, pending] = await Promise.all([
    readNonce(node, line.address, 'latest'),
    line.foreignPending ? readNonce(node, line.address, 'pending') : undefined,
  ])
  return { latest, pending }
}
