import { TandemError, Unavailable } from '../../base/errors.ts'
import type { UserOperation } from '../../types/userop.ts'
import { type CallOutcome, ethCall } from '../eth-call.ts'
import { mergeOverrides } from '../overrides.ts'
import { executionRevert, postOpRevert, rejectionOf } from '../rejection.ts'
import {
  readHandling,
  type SimulatedHandling,
  simulateHandleOpCall,
  simulationOverride,
} from '../simulation.ts'
import { limitOfCode } from './limit-of-code.ts'
import { executionLimits } from './limits.ts'
import { everyPhase, measure, type Outcomes, type World, worldOverrides } from './measure.ts'
import type { Needs } from './needs.ts'
import { prefundOf } from './prefund.ts'
import type { Trial } from './settle.ts'

/**
 * From this attempt on a call need only succeed. Before, it must also take exactly what it took with all the gas it
 * wanted: a contract that catches its own lack of gas succeeds too, on a path that nobody asked for.
 */
const lenientFrom = 4

export async function tryLimits(
  world: World,
  op: UserOperation,
  needs: Needs,
  attempt: number,
): Promise<Trial> {
  const overrides = mergeOverrides(worldOverrides(world, op), simulationOverride(op.version))
  const [outcome, outcomes] = await Promise.all([
    ethCall(world.node, simulateHandleOpCall(op), world.job.block, overrides),
    measure(world, op, { ...everyPhase, ...executionLimits(op.version, op) }, needs.context),
  ])
  const handled = handlingOf(op, outcome)
  if (handled instanceof TandemError) {
    return { kind: 'fails', error: handled, field: limitOfCode.get(String(handled.data?.aaCode)) }
  }
  // From 0.7 on an operation whose prefund does not cover its cost fails in silence: it has paid all of it.
  if (op.maxFeePerGas > 0n && handled.paid >= prefundOf(op)) {
    const error = rejectionOf(op, { reason: 'AA51 prefund below actualGasCost', inner: undefined, raw: '0x' })
    return { kind: 'fails', error, field: 'verificationGasLimit' }
  }
  const { validAfter, validUntil } = handled
  return (
    executionFailure(op, needs, outcomes, attempt) ?? { kind: 'holds', range: { validAfter, validUntil } }
  )
}

/** simulateHandleOp does not tell how the call and postOp fare; the probe does. */
function executionFailure(
  op: UserOperation,
  needs: Needs,
  outcomes: Outcomes,
  attempt: number,
): Trial | undefined {
  const holds = (phase: 'execute' | 'postOp'): boolean => {
    const run = outcomes.get(phase)
    const same = run?.gasUsed === needs[phase] || attempt >= lenientFrom
    return needs[phase] === 0n || (run?.success === true && same)
  }
  if (!holds('execute')) {
    const error = executionRevert(op, outcomes.get('execute')?.returned ?? '0x')
    return { kind: 'fails', error, field: 'callGasLimit' }
  }
  if (!holds('postOp')) {
    const error = postOpRevert(op, outcomes.get('postOp')?.returned ?? '0x')
    return { kind: 'fails', error, field: 'paymasterPostOpGasLimit' }
  }
  return undefined
}

function handlingOf(op: UserOperation, outcome: CallOutcome): SimulatedHandling | TandemError {
  try {
    return readHandling(op, outcome)
  } catch (error) {
    if (error instanceof TandemError && !(error instanceof Unavailable)) return error
    throw error
  }
}
