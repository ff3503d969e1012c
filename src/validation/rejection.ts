import type { Address, Hex } from 'viem'
import { type ErrorData, TandemError } from '../base/errors.ts'
import type { EntityKind } from '../types/entity.ts'
import { factoryOf, paymasterOf, type UserOperation } from '../types/userop.ts'
import { aaCodeOf, aaCodes } from './aa-codes.ts'
import { decodeRevert, type Revert } from './revert.ts'

/** -32500: the EntryPoint rejects, and no more special code of the table fits. */
const rejectedByEntryPoint = -32500
const rejectedByPaymaster = -32501
const executionReverted = -32521

/** An EntryPoint's own words about one operation. `index` is its place in the bundle. */
export type FailedOp = { index: number; reason: string; inner: Hex | undefined; raw: Hex }

/** FailedOp and FailedOpWithRevert; `undefined` for any other revert. */
export function failedOpIn(raw: Hex): FailedOp | undefined {
  const { name, args } = decodeRevert(raw)
  const [index, reason, inner] = args
  if ((name !== 'FailedOp' && name !== 'FailedOpWithRevert') || typeof reason !== 'string') return undefined
  return { index: Number(index), reason, inner: inner as Hex | undefined, raw }
}

/** The error of the table for what the EntryPoint said, beginning with its text (peers.md). */
export function rejectionOf(op: UserOperation, { reason, inner, raw }: Omit<FailedOp, 'index'>): TandemError {
  const aaCode = aaCodeOf(reason)
  const row = aaCode === undefined ? undefined : aaCodes.get(aaCode)
  const entity = row?.entity ?? 'account'
  const revert = inner === undefined ? undefined : decodeRevert(inner)
  return new TandemError(
    row?.rpcCode ?? rejectedByEntryPoint,
    revert === undefined ? reason : `${reason}: ${revert.text}`,
    {
      aaCode,
      ...blame(op, entity),
      revertData: inner ?? raw,
      revert: revertJson(revert),
      hint: row?.hint,
    },
  )
}

/** Whatever the EntryPoint reverted with in a simulation of `op` alone. */
export function rejectionOfRevert(op: UserOperation, raw: Hex): TandemError {
  const failed = failedOpIn(raw)
  if (failed !== undefined) return rejectionOf(op, failed)
  const revert = decodeRevert(raw)
  if (aaCodeOf(revert.text) !== undefined)
    return rejectionOf(op, { reason: revert.text, inner: undefined, raw })
  return new TandemError(rejectedByEntryPoint, revert.text, {
    ...blame(op, 'account'),
    revertData: raw,
    revert: revertJson(revert),
  })
}

/** -32521: the operation itself, not its validation, reverts (in estimation). */
export function executionRevert(op: UserOperation, raw: Hex): TandemError {
  const revert = decodeRevert(raw)
  return new TandemError(executionReverted, revert.text, {
    ...blame(op, 'account'),
    revertData: raw,
    revert: revertJson(revert) ?? { raw, name: null, args: [] },
  })
}

/** -32501 from postOp, which no EntryPoint since 0.7 reports by itself. */
export function postOpRevert(op: UserOperation, raw: Hex): TandemError {
  const revert = decodeRevert(raw)
  return new TandemError(rejectedByPaymaster, `AA50 postOp reverted: ${revert.text}`, {
    aaCode: 'AA50',
    ...blame(op, 'paymaster'),
    revertData: raw,
    revert: revertJson(revert),
    hint: aaCodes.get('AA50')?.hint,
  })
}

/** Who is at fault, in `data`; a paymaster is named under its own key too (error table). */
export function blame(op: UserOperation, entity: EntityKind): ErrorData {
  const address = addressOf(op, entity)
  return entity === 'paymaster' ? { entity, address, paymaster: address } : { entity, address }
}

function addressOf(op: UserOperation, entity: EntityKind): Address | undefined {
  switch (entity) {
    case 'account':
      return op.sender
    case 'factory':
      return factoryOf(op)
    case 'paymaster':
      return paymasterOf(op)
    case 'aggregator':
      return undefined
  }
}

function revertJson(revert: Revert | undefined): ErrorData | undefined {
  return revert?.name === undefined ? undefined : { raw: revert.raw, name: revert.name, args: revert.args }
}
