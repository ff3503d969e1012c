import type { Hash } from 'viem'
import type { BlockRef, Head, HeadChange } from '../types/block.ts'

/** Reads a header by hash. @throws Unavailable */
export type ReadHeader = (hash: Hash) => Promise<Head>

/**
 * The step from the chain we know to the one that ends in `head`: walks back from it until a known block is met.
 * @param known our chain, oldest first; empty before the first head
 * @param limit blocks to walk at most; beyond it the window is given up: all known blocks removed, only `head` added
 */
export async function stepTo(
  head: Head,
  known: readonly BlockRef[],
  limit: number,
  readHeader: ReadHeader,
): Promise<HeadChange & { complete: boolean }> {
  if (known.length === 0) return { head, added: [head], removed: [], complete: true }
  const position = new Map(known.map((block, index) => [block.hash, index]))
  const added: Head[] = [head]
  let oldest = head
  while (!position.has(oldest.parentHash)) {
    const outOfReach = added.length >= limit || oldest.number <= (known[0]?.number ?? 0)
    if (outOfReach) return { head, added: [head], removed: known.toReversed(), complete: false }
    oldest = await readHeader(oldest.parentHash)
    added.unshift(oldest)
  }
  const ancestor = position.get(oldest.parentHash) ?? -1
  return { head, added, removed: known.slice(ancestor + 1).toReversed(), complete: true }
}

/** The known chain after a step, bounded to `depth` blocks. */
export function extend(known: readonly BlockRef[], change: HeadChange, depth: number): BlockRef[] {
  const kept = known.slice(0, known.length - change.removed.length)
  const added = change.added.map(({ number, hash }) => ({ number, hash }))
  return [...kept, ...added].slice(-depth)
}
