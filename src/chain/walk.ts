import { Unavailable } from '../base/errors.ts'
import type { BlockRef, Head, HeadChange } from '../types/block.ts'

/** Reads headers of the canonical chain by number, both ends included, oldest first. @throws Unavailable */
export type ReadHeaders = (from: number, to: number) => Promise<readonly Head[]>

/** Headers read at once, at most, on the way down to a fork. */
const longestStride = 32

export type Step = HeadChange & {
  /** Blocks above the known ones that were passed over, since there were too many. */
  skipped: number
  /** The fork is below all that we know. */
  tooDeep: boolean
}

/**
 * The step from the chain we know to the one that ends in `head`. Blocks since the newest known one are added, at
 * most about `catchUp`; where it left our chain, the walk goes on down to the fork. A fork below all known blocks
 * removes all of them.
 * @param known our chain without gaps, oldest first; empty before the first head
 * @throws Unavailable when the chain moved on while it was read
 */
export async function stepTo(
  head: Head,
  known: readonly BlockRef[],
  options: { catchUp: number },
  readHeaders: ReadHeaders,
): Promise<Step> {
  const [oldest, newest] = [known[0], known.at(-1)]
  if (oldest === undefined || newest === undefined)
    return { head, added: [head], removed: [], skipped: 0, tooDeep: false }

  const next = newest.number + 1
  const from = Math.max(next, head.number - options.catchUp + 1)
  const recent = from < head.number ? linked(await readHeaders(from, head.number - 1), head) : [head]
  const skipped = from - next
  // What is passed over still tells whether our own blocks are canonical.
  let branch = skipped > 0 ? linked(await readHeaders(next, next), undefined) : recent

  const position = new Map(known.map((block, index) => [block.hash, index]))
  let bottom = branch[0] ?? head
  for (let stride = 1; !position.has(bottom.parentHash); stride = Math.min(stride * 2, longestStride)) {
    if (bottom.number <= oldest.number) break
    const below = linked(
      await readHeaders(Math.max(oldest.number, bottom.number - stride), bottom.number - 1),
      bottom,
    )
    // The stride may have gone past the fork.
    branch = [...below.slice(0, -1).filter((block) => !position.has(block.hash)), ...branch]
    bottom = branch[0] ?? bottom
  }
  const fork = position.get(bottom.parentHash)
  return {
    head,
    added: skipped > 0 ? [...branch, ...recent] : branch,
    removed: known.slice((fork ?? -1) + 1).toReversed(),
    skipped,
    tooDeep: fork === undefined,
  }
}

/** `blocks` and `last` as one chain. */
function linked(blocks: readonly Head[], last: Head | undefined): readonly Head[] {
  const chain = last === undefined ? blocks : [...blocks, last]
  const isChain = chain.every((block, index) => index === 0 || block.parentHash === chain[index - 1]?.hash)
  if (!isChain) throw new Unavailable('the chain moved on while it was read')
  return chain
}

/** The known chain after a step: its newest `depth` blocks, without gaps. */
export function extend(known: readonly BlockRef[], step: Step, depth: number): BlockRef[] {
  const kept = known.slice(0, known.length - step.removed.length)
  const added = step.added.map(({ number, hash }) => ({ number, hash }))
  return newestRun([...kept, ...added]).slice(-depth)
}

/** The newest blocks of a list, oldest first, as far as their numbers have no gap. */
export function newestRun(blocks: readonly BlockRef[]): BlockRef[] {
  const gap = blocks.findLastIndex(
    (block, index) => index > 0 && block.number !== (blocks[index - 1]?.number ?? 0) + 1,
  )
  return blocks.slice(Math.max(gap, 0))
}
