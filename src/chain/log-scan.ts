import { type Address, type Hex, numberToHex } from 'viem'
import { Unavailable } from '../base/errors.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import { type NodeLog, readLogs, TooManyLogs } from './logs.ts'

/** Queries of one scan, at most: a node that takes ten blocks at a time still answers for the default range. */
const mostQueries = 256

/** Block numbers, both included. */
export type LogQuery = {
  from: number
  to: number
  address: Address | readonly Address[]
  topics: readonly (Hex | readonly Hex[])[]
}

/** Logs of a range of blocks, in chain order. @throws Unavailable */
export type LogScan = (query: LogQuery) => Promise<NodeLog[]>

/**
 * Scans in pieces that the nodes take: one that is refused for its width or its results is halved, and what was
 * found to do is remembered. Each scan tries twice as much as the last one ended with.
 */
export function createLogScan(client: NodeClient): LogScan {
  /** blocks that one query may span */
  let span = Number.POSITIVE_INFINITY

  return async ({ from, to, address, topics }) => {
    const logs: NodeLog[] = []
    span *= 2
    let next = from
    for (let queries = 0; next <= to; queries++) {
      if (queries === mostQueries) {
        throw new Unavailable(`the nodes of chain ${client.chainId} give logs of ${span} blocks at a time`)
      }
      const last = Math.min(to, next + span - 1)
      try {
        const range = { fromBlock: numberToHex(next), toBlock: numberToHex(last) }
        logs.push(...(await readLogs({ ...range, address, topics }, client)))
        next = last + 1
      } catch (error) {
        if (!(error instanceof TooManyLogs) || next === last) throw error
        span = Math.ceil((last - next + 1) / 2)
      }
    }
    return logs
  }
}
