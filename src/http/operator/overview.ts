import { type Static, Type } from '@sinclair/typebox'
import type { Readiness } from '../../types/ports/bundler.ts'
import type { ChainOverview } from '../../types/ports/operator.ts'
import { address, hash, inSeconds, seconds } from './quantities.ts'

/** A chain in `GET /chains`. */
export const overviewSchema = Type.Object({
  chainId: Type.Integer(),
  ready: Type.Boolean(),
  missing: Type.Array(Type.String()),
  entryPoints: Type.Array(Type.Object({ version: Type.String(), address })),
  head: Type.Union([Type.Null(), Type.Object({ number: Type.Integer(), hash, age: seconds })]),
  blockTime: Type.Union([Type.Null(), seconds]),
  operations: Type.Integer(),
  relayers: Type.Record(Type.String(), Type.Integer()),
})

export function formatOverview(overview: ChainOverview, readiness: Readiness): Static<typeof overviewSchema> {
  const { chainId, entryPoints, head, headAge, blockTime, operations, relayers } = overview
  return {
    chainId,
    ready: readiness.ready,
    missing: [...readiness.missing],
    entryPoints: [...entryPoints],
    head: head === undefined ? null : { number: head.number, hash: head.hash, age: inSeconds(headAge ?? 0) },
    blockTime: blockTime === undefined ? null : inSeconds(blockTime * 1000),
    operations,
    relayers,
  }
}
