import type { Hash, Hex } from 'viem'
import { type Json, Unavailable } from '../base/errors.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { RawLog } from '../types/ports/store.ts'
import { NodeError, nodeMeaning } from './node-error.ts'

export type NodeLog = RawLog & { transactionHash: Hash; blockNumber: Hex; blockHash: Hash }

/** The range is too wide for the node, or has too many logs; a narrower one may do. */
export class TooManyLogs extends Unavailable {
  override readonly name = 'TooManyLogs'
}

/** No node has the block or its logs. */
export class LogsUnknown extends Unavailable {
  override readonly name = 'LogsUnknown'
}

/**
 * `eth_getLogs`. Our own question: whatever a node has against it, it is no verdict about an operation.
 * @throws TooManyLogs, LogsUnknown, Unavailable
 */
export async function readLogs(filter: Json, client: NodeClient): Promise<NodeLog[]> {
  try {
    return await client.request<NodeLog[]>('eth_getLogs', [filter])
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    const what = `eth_getLogs: ${error.message}`
    switch (nodeMeaning(error)) {
      case 'too-much':
        throw new TooManyLogs(what, { cause: error })
      case 'unknown-block':
        throw new LogsUnknown(what, { cause: error })
      case 'verdict':
      case 'failed':
      case 'busy':
        throw new Unavailable(what, { cause: error })
    }
  }
}
