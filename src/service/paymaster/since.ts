import { type Address, type Hex, numberToHex } from 'viem'
import { describe } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { NodeClient } from '../../types/ports/chain.ts'

/** The first block with code at `address`, by halving; 0 where the nodes do not remember so far. */
export async function deployedSince(
  address: Address,
  newest: number,
  { node, log }: { node: NodeClient; log: Log },
): Promise<number> {
  let [first, last] = [0, newest]
  try {
    while (first < last) {
      const middle = Math.floor((first + last) / 2)
      const code = await node.request<Hex>('eth_getCode', [address, numberToHex(middle)])
      if (code === '0x') first = middle + 1
      else last = middle
    }
    return first
  } catch (error) {
    log.warn(
      'whitelists on the chain are read from its first block: sponsorPaymasterSince would spare that',
      {
        error: describe(error),
      },
    )
    return 0
  }
}
