import { Type } from '@sinclair/typebox'
import { type Hex, isHex, numberToHex } from 'viem'
import { InvalidParams, type Json } from '../base/errors.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import { requireShallow } from './depth.ts'
import type { Method } from './method.ts'

/** Filters live in the node that made them, so our ids end in its place in the list of nodes. */
const nodeBits = 8n

const making = { eth_newFilter: 20, eth_newBlockFilter: 20, eth_newPendingTransactionFilter: 30 }
const using = { eth_uninstallFilter: 30, eth_getFilterChanges: 30, eth_getFilterLogs: 50 }

async function make(name: string, params: readonly unknown[], client: NodeClient): Promise<Json> {
  const { node, result } = await client.requestOf<Hex>(undefined, name, params)
  return numberToHex((BigInt(result) << nodeBits) | BigInt(node))
}

async function use(name: string, [id, ...rest]: readonly unknown[], client: NodeClient): Promise<Json> {
  if (!isHex(id) || id === '0x')
    throw new InvalidParams('the id of a filter is expected', { path: 'params[0]' })
  const node = Number(BigInt.asUintN(Number(nodeBits), BigInt(id)))
  const own = numberToHex(BigInt(id) >> nodeBits)
  return (await client.requestOf<Json>(node, name, [own, ...rest])).result
}

const passed = (prices: Readonly<Record<string, number>>, pass: typeof make): Method[] =>
  Object.entries(prices).map(([name, price]) => ({
    name,
    price,
    params: undefined,
    result: Type.Unknown(),
    run(params, { chain: { bundler, nodeBudget } }) {
      requireShallow(params)
      return nodeBudget.run(() => pass(name, params, bundler.node))
    },
  }))

/** The filter methods of the node, each asked of the node that has the filter. */
export const filterMethods: readonly Method[] = [...passed(making, make), ...passed(using, use)]
