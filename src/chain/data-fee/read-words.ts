import { type Address, type Hex, size, slice } from 'viem'
import type { NodeClient, ReadAt } from '../../types/ports/chain.ts'
import { NodeError } from '../node-error.ts'

const wordBytes = 32

/**
 * The words that a contract answers with; `undefined` when it does not know the call or does not exist, or when other
 * code of the chain stands there, whatever that says. @throws Unavailable
 */
export async function readWords(
  call: { to: Address; data: Hex },
  at: ReadAt,
  node: NodeClient,
): Promise<readonly bigint[] | undefined> {
  try {
    const answer = await node.requestAt<Hex>('eth_call', [call], at)
    const count = Math.floor(size(answer) / wordBytes)
    if (count === 0) return undefined
    const word = (_: unknown, place: number) =>
      BigInt(slice(answer, place * wordBytes, (place + 1) * wordBytes))
    return Array.from({ length: count }, word)
  } catch (error) {
    if (error instanceof NodeError) return undefined
    throw error
  }
}
