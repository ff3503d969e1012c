import type { BlockRef, FeeQuote, Head, HeadChange } from '../block.ts'

/** Where a read is pinned: to one block by hash (EIP-1898), or to what the node calls latest. */
export type ReadAt = BlockRef | 'latest'

/** JSON-RPC to the nodes of one chain, with fail-over. Calls of the same tick share one HTTP request. */
export type NodeClient = {
  readonly chainId: number
  /**
   * @throws NodeError (chain/node-error.ts) for an error that the node answered on purpose (a revert, bad params…)
   * @throws Unavailable when no node could tell: down, slow, rate-limited, garbage, block not known yet
   */
  request<Result = unknown>(method: string, params: readonly unknown[]): Promise<Result>
  /** `eth_call` and its likes: the block parameter is appended; a node that lacks the block is not the last word. */
  requestAt<Result = unknown>(
    method: string,
    params: readonly unknown[],
    at: ReadAt,
    extra?: readonly unknown[],
  ): Promise<Result>
  /**
   * For what only one node knows, such as a filter: says which node answered, and asks that one when told to.
   * @throws as `request`; where there is no such node, as a node without such a filter
   */
  requestOf<Result = unknown>(
    node: number | undefined,
    method: string,
    params: readonly unknown[],
  ): Promise<{ node: number; result: Result }>
  close(): Promise<void>
}

/** Follows the canonical chain of one chain. Listeners run in order, each awaited before the next head is handled. */
export type HeadSource = {
  readonly current: Head | undefined
  /** s between blocks, learned from observed blocks; `undefined` until known */
  readonly blockTime: number | undefined
  onChange(listener: (change: HeadChange) => Promise<void> | void): void
  /** Looks now instead of at the next poll; resolves when what was seen is handled. Callers at once share a look. */
  refresh(): Promise<void>
  /** ms since a node last told its newest block, new or not; for readiness */
  staleness(now: number): number
}

export type FeeOracle = {
  /** What a transaction sent now should offer; cached for the current head. */
  quote(): Promise<FeeQuote>
}
