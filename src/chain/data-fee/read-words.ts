import { type Address, type Hex, size, slice } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import type { NodeClient, ReadAt } from '../../types/ports/chain.ts'
import { NodeError, revertData } from '../node-error.ts'

/**
 * The 32-byte words that a contract answers with; `undefined` when it does not know the call, or does not exist.
 * @throws Unavailable
 */
export async function readWords(
  call: { to: Address; data: Hex },
  at: ReadAt,
  node: NodeClient,
): Promise<readonly bigint[] | undefined> {
  try {
    const answer = await node.requestAt<Hex>('eth_call', [call], at)
    const count = Math.floor(size(answer) / 32)
    if (count === 0) return undefined
    return Array.from({ length: count }, (_, word) => BigInt(slice(answer, word * 32, word * 32 + 32)))
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    if (revertData(error) !== undefined) return undefined
    throw new Unavailable(`${call.to} could not be asked`, { cause: error })
  }
}
