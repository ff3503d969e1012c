import type { Hash } from 'viem'
import type { HeadSource } from '../types/ports/chain.ts'
import type { StorePort } from '../types/ports/store.ts'

/** Whether the index holds every block of a range, both ends included. */
export type Coverage = (from: number, to: number) => Promise<boolean>

/** Blocks that the index holds without a gap. */
type Run = { oldest: number; newest: number }

/** Read from the store once a head, whoever asks and however often. */
export function createCoverage(
  options: { chainId: number /** blocks that are looked back on */; limit: number },
  { store, heads }: { store: Pick<StorePort, 'indexedBlocks'>; heads: HeadSource },
): Coverage {
  let known: { head: Hash; run: Run } | undefined

  return async (from, to) => {
    const head = heads.current
    const run = known !== undefined && known.head === head?.hash ? known.run : await read()
    // A head that is being indexed is looked at again.
    if (head !== undefined && run.newest >= head.number) known = { head: head.hash, run }
    return run.oldest <= from && to <= run.newest
  }

  async function read(): Promise<Run> {
    const numbers = (await store.indexedBlocks(options)).map((block) => block.number)
    const newest = numbers[0] ?? -1
    const gap = numbers.findIndex((number, index) => number !== newest - index)
    const length = gap === -1 ? numbers.length : gap
    return { oldest: newest - length + 1, newest }
  }
}
