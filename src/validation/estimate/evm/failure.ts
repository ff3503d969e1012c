import { type Hex, toEventSelector } from 'viem'
import { TandemError, Unavailable } from '../../../base/errors.ts'
import type { Outcome } from '../../../evm/outcome.ts'
import type { GasLimits } from '../../../types/gas.ts'
import type { Phase } from '../../../types/phase.ts'
import type { UserOperation } from '../../../types/userop.ts'
import { requireAuthorized } from '../../acceptance.ts'
import { executionRevert, postOpRevert, rejectionOf, rejectionOfRevert } from '../../rejection.ts'
import { limitOfCode } from '../limit-of-code.ts'
import type { LenientRun } from './run-lenient.ts'

/** Why an operation would not do what it should. `field` is the limit that may be too low; without it none is. */
export type Failure = { error: Error; field: keyof GasLimits | undefined }

/** From 0.7 on an operation whose prefund does not cover its cost fails with no more than this event. */
const prefundTooLow = BigInt(toEventSelector('UserOperationPrefundTooLow(bytes32,address,uint256)'))

/** `undefined`: validation passes, the call and postOp succeed. */
export function failureOf(op: UserOperation, run: LenientRun): Failure | undefined {
  return (
    failedPhase(run, 'execute', (raw) => ({ error: executionRevert(op, raw), field: 'callGasLimit' })) ??
    failedPhase(run, 'postOp', (raw) => failedWith(postOpRevert(op, raw))) ??
    failedHandling(op, run) ??
    unauthorized(op, run)
  )
}

function failedHandling(op: UserOperation, { outcome, logs }: LenientRun): Failure | undefined {
  if (outcome.kind === 'reverted') return failedWith(rejectionOfRevert(op, hexOf(outcome)))
  if (outcome.kind !== 'returned')
    return failedWith(new Unavailable(`handleOps ${outcome.kind}: ${outcome.reason}`))
  return logs.some(({ topics }) => topics[0] === prefundTooLow) ? failedWith(tooLow(op)) : undefined
}

function failedWith(error: Error): Failure {
  const aaCode = error instanceof TandemError ? error.data?.aaCode : undefined
  return { error, field: limitOfCode.get(String(aaCode)) }
}

function failedPhase(run: LenientRun, phase: Phase, failure: (raw: Hex) => Failure): Failure | undefined {
  const outcome = run.facts.phases.get(phase)?.outcome
  return outcome === undefined || outcome.kind === 'returned' ? undefined : failure(hexOf(outcome))
}

/** A signature need not be right in an estimate, but an aggregator is none that we serve. */
function unauthorized(op: UserOperation, { answers: { account } }: LenientRun): Failure | undefined {
  if (account.authorizer === 'signature-failed') return undefined
  try {
    requireAuthorized(op, 'account', account)
    return undefined
  } catch (error) {
    if (error instanceof TandemError) return failedWith(error)
    throw error
  }
}

const tooLow = (op: UserOperation): TandemError =>
  rejectionOf(op, { reason: 'AA51 prefund below actualGasCost', inner: undefined, raw: '0x' })

const hexOf = (outcome: Outcome): Hex => ('output' in outcome ? `0x${outcome.output.toHex()}` : '0x')
