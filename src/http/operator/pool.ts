import { type Static, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { numberToHex } from 'viem'
import type { PooledOperation, PoolReport } from '../../types/ports/operator.ts'
import { address, hash, hexNumber, inSeconds, seconds, weiText } from './quantities.ts'

/** Entries in an answer, at most: a page that is read by eye or by a script, not the whole pool at once. */
const largestPage = 500

export const pageSchema = Type.Object({
  limit: t.Numeric({ minimum: 1, maximum: largestPage, multipleOf: 1, default: 100 }),
  offset: t.Numeric({ minimum: 0, multipleOf: 1, default: 0 }),
})

const entrySchema = Type.Object({
  hash,
  entryPoint: address,
  sender: address,
  nonce: hexNumber,
  maxFeePerGas: weiText,
  maxPriorityFeePerGas: weiText,
  paymaster: Type.Union([Type.Null(), address]),
  state: Type.String(),
  transactionHash: Type.Optional(hash),
  /** times it failed in the check of a bundle */
  failures: Type.Integer(),
  age: seconds,
})

/** `GET /chains/<id>/pool` */
export const poolSchema = Type.Object({
  total: Type.Integer(),
  byState: Type.Record(Type.String(), Type.Integer()),
  byEntryPoint: Type.Record(Type.String(), Type.Integer()),
  oldestAge: Type.Union([Type.Null(), seconds]),
  offset: Type.Integer(),
  entries: Type.Array(entrySchema),
})

export function formatPool(report: PoolReport, offset: number): Static<typeof poolSchema> {
  const { total, byState, byEntryPoint, oldestAge, entries } = report
  return {
    total,
    byState,
    byEntryPoint,
    oldestAge: oldestAge === undefined ? null : inSeconds(oldestAge),
    offset,
    entries: entries.map(formatEntry),
  }
}

function formatEntry({
  op,
  hash,
  entryPoint,
  state,
  failures,
  age,
}: PooledOperation): Static<typeof entrySchema> {
  return {
    hash,
    entryPoint,
    sender: op.sender,
    nonce: numberToHex(op.nonce),
    maxFeePerGas: op.maxFeePerGas.toString(),
    maxPriorityFeePerGas: op.maxPriorityFeePerGas.toString(),
    paymaster: op.paymaster ?? null,
    state: state.kind,
    ...(state.kind === 'submitted' ? { transactionHash: state.transactionHash } : {}),
    failures,
    age: inSeconds(age),
  }
}
