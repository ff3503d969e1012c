import { type Address, zeroAddress } from 'viem'
import { Unavailable } from '../../../base/errors.ts'
import { NodeError } from '../../../chain/node-error.ts'
import type { NodeClient } from '../../../types/ports/chain.ts'

/** How a node helps to foresee what a run will read. */
export type Foresight = 'traces' | 'lists' | 'experience'

/** A call that every chain can make. */
const nothing = { to: '0x0000000000000000000000000000000000000004' satisfies Address, data: '0x' }

/** @throws Unavailable when the node cannot tell */
export async function lookUpForesight(node: NodeClient): Promise<Foresight> {
  const tracing = { tracer: 'prestateTracer', stateOverrides: { [zeroAddress]: { balance: '0x1' } } }
  if (await answers(node, 'debug_traceCall', [nothing, 'latest', tracing])) return 'traces'
  return (await answers(node, 'eth_createAccessList', [nothing, 'latest'])) ? 'lists' : 'experience'
}

async function answers(node: NodeClient, method: string, params: readonly unknown[]): Promise<boolean> {
  try {
    await node.request(method, params)
    return true
  } catch (error) {
    if (error instanceof NodeError) return false
    throw error instanceof Unavailable ? error : new Unavailable(`${method} failed`, { cause: error })
  }
}
