import type { Hash } from 'viem'
import type { Turns } from '../../base/turns.ts'
import type { ChainRules } from '../../evm/environment.ts'
import type { StakeRequirement } from '../../types/entity.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { BlockView } from '../state/block-view.ts'
import type { ChainState } from '../state/chain-state.ts'
import { type BlockHeader, type JobBlock, readHeader, readNewestHeader } from './block-header.ts'

/** A chain as our own EVM runs on it. */
export type LocalChain = {
  readonly node: NodeClient
  readonly state: ChainState
  readonly rules: ChainRules
  readonly required: StakeRequirement
  /** Of the thread. What decides nothing goes one by one, with everything else between. */
  readonly turns: { readonly ofTrials: Turns; readonly ofJudgements: Turns }
  /** A block to run on. @throws Unavailable */
  at(block: JobBlock | 'latest'): Promise<LocalBlock>
}

export type LocalBlock = { view: BlockView; header: BlockHeader }

/** Blocks that runs may be on at one time, and some more. */
const mostHeaders = 8

export function createLocalChain(
  modules: Pick<LocalChain, 'node' | 'state' | 'rules' | 'required' | 'turns'>,
): LocalChain {
  const { node, state } = modules
  /** Read once for all runs on a block; the oldest first. */
  const headers = new Map<Hash, Promise<BlockHeader>>()

  function headerOf(block: JobBlock): Promise<BlockHeader> {
    const known = headers.get(block.hash)
    if (known !== undefined) return known
    const header = readHeader(block, node)
    keep(block.hash, header)
    header.catch(() => headers.delete(block.hash))
    return header
  }

  function keep(hash: Hash, header: Promise<BlockHeader>): void {
    headers.set(hash, header)
    for (const oldest of headers.keys()) {
      if (headers.size <= mostHeaders) break
      headers.delete(oldest)
    }
  }

  async function newest(): Promise<BlockHeader> {
    const header = await readNewestHeader(node)
    keep(header.hash, Promise.resolve(header))
    return header
  }

  return {
    ...modules,
    async at(block) {
      const header = await (block === 'latest' ? newest() : headerOf(block))
      return { view: state.viewAt(header), header }
    },
  }
}
