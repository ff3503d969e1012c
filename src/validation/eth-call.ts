import type { Address, Hex } from 'viem'
import { Unavailable } from '../base/errors.ts'
import { NodeError, revertData } from '../chain/node-error.ts'
import type { NodeClient, ReadAt } from '../types/ports/chain.ts'
import type { StateOverrides } from '../types/ports/simulator.ts'

/** A call that really ran: it returned, or it reverted with these bytes. */
export type CallOutcome = { kind: 'returned'; data: Hex } | { kind: 'reverted'; data: Hex }

export type CallRequest = { to: Address; data: Hex; from?: Address; gas?: Hex; gasPrice?: Hex }

/**
 * `eth_call` with state overrides.
 * @throws Unavailable when the call did not run to an end of its own: no node, or an error of the node's that is not a
 *   revert (out of the node's gas cap, unsupported overrides…)
 */
export async function ethCall(
  node: NodeClient,
  request: CallRequest,
  at: ReadAt,
  overrides: StateOverrides = {},
): Promise<CallOutcome> {
  try {
    return { kind: 'returned', data: await node.requestAt<Hex>('eth_call', [request], at, [overrides]) }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    const data = revertData(error)
    if (data === undefined) throw new Unavailable(`eth_call: ${error.message}`, { cause: error })
    return { kind: 'reverted', data }
  }
}
