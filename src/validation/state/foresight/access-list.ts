import type { AccessList } from 'viem'
import { NodeError, revertData } from '../../../chain/node-error.ts'
import type { NodeClient } from '../../../types/ports/chain.ts'
import type { CallRequest } from '../../eth-call.ts'
import type { BlockView } from '../block-view.ts'
import { addSlot, noKeys, type StateKeys } from '../keys.ts'

/** What is read for a list at most: it may be that of a call which goes on far beyond validation. */
const mostKeys = 200

/**
 * What a call reads, by `eth_createAccessList`: its values are to be read then. A call that reverts may have none.
 * @throws NodeError where the node makes no lists, Unavailable when it could not tell
 */
export async function listAccesses(
  request: CallRequest,
  view: BlockView,
  node: NodeClient,
): Promise<StateKeys> {
  const keys = noKeys()
  let count = 0
  for (const { address, storageKeys } of await createAccessList(request, view, node)) {
    if (count >= mostKeys) break
    keys.accounts.add(BigInt(address))
    for (const slot of storageKeys.slice(0, mostKeys)) addSlot(keys, BigInt(address), BigInt(slot))
    count += 1 + storageKeys.length
  }
  return keys
}

async function createAccessList(
  request: CallRequest,
  { block }: BlockView,
  node: NodeClient,
): Promise<AccessList> {
  try {
    const answer = await node.requestAt<{ accessList: AccessList }>('eth_createAccessList', [request], block)
    return answer.accessList
  } catch (error) {
    if (error instanceof NodeError && revertData(error) !== undefined) return []
    throw error
  }
}
