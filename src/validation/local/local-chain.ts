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
  /** A block to run on. @throws Unavailable */
  at(block: JobBlock | 'latest'): Promise<LocalBlock>
}

export type LocalBlock = { view: BlockView; header: BlockHeader }

export function createLocalChain(
  modules: Pick<LocalChain, 'node' | 'state' | 'rules' | 'required'>,
): LocalChain {
  const { node, state } = modules
  /** Read once for all runs on a block. */
  const headers = new WeakMap<BlockView, Promise<BlockHeader>>()

  function headerOf(view: BlockView, block: JobBlock): Promise<BlockHeader> {
    const header = headers.get(view) ?? readHeader(block, node)
    headers.set(view, header)
    header.catch(() => headers.delete(view))
    return header
  }

  async function newest(): Promise<LocalBlock> {
    const header = await readNewestHeader(node)
    const view = state.viewAt(header)
    headers.set(view, Promise.resolve(header))
    return { view, header }
  }

  async function pinned(block: JobBlock): Promise<LocalBlock> {
    const view = state.viewAt(block)
    return { view, header: await headerOf(view, block) }
  }

  return { ...modules, at: (block) => (block === 'latest' ? newest() : pinned(block)) }
}
