import { type Hash, type Hex, size, slice } from 'viem'
import { userOperationHash } from '../types/entrypoint.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import { eip7702Factory, type UserOperation } from '../types/userop.ts'

/** EIP-7702: the code of a delegated account is this prefix and the delegate's address. */
const designatorPrefix = '0xef0100'
/** bytes */
const designatorSize = 23

/**
 * The hash that the EntryPoint gives an operation. Local, but for an account that was delegated before (EIP-7702,
 * marker without authorization): its delegate is part of the hash, so the node is asked. @throws Unavailable
 */
export async function hashOperation(op: UserOperation, node: NodeClient): Promise<Hash> {
  if (op.factory !== eip7702Factory || op.eip7702Auth !== undefined)
    return userOperationHash(op, node.chainId)
  const code = await node.requestAt<Hex>('eth_getCode', [op.sender], 'latest')
  const delegated = code.startsWith(designatorPrefix) && size(code) === designatorSize
  return userOperationHash(op, node.chainId, delegated ? slice(code, 3) : undefined)
}
