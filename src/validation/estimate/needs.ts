import { type Hex, size } from 'viem'
import { TandemError, Unavailable } from '../../base/errors.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { Phase } from '../../types/phase.ts'
import { paymasterOf, type UserOperation } from '../../types/userop.ts'
import { requireAuthorized } from '../acceptance.ts'
import { ethCall } from '../eth-call.ts'
import { depositOverride, mergeOverrides } from '../overrides.ts'
import { executionRevert, postOpRevert } from '../rejection.ts'
import { readValidation, simulateValidationCall, simulationOverride } from '../simulation.ts'
import { parseValidationData } from '../validation-data.ts'
import type { Measured } from './limits.ts'
import { everyPhase, measure, type Outcomes, type World, worldOverrides } from './measure.ts'
import { answersWithContext, contextOf, createdSender, validationDataOf } from './phases.ts'

/** What an operation took when it could have everything, and what its paymaster hands to postOp. */
export type Needs = Measured & { context: Hex | undefined }

/** wei, below the 2^112 of 0.6 */
const plentyOfDeposit = 2n ** 100n

/**
 * Runs every phase with all the gas it may want; postOp needs the context that the paymaster gives in a first run.
 * @throws TandemError for an operation that fails even so
 */
export async function measureNeeds(world: World, op: UserOperation): Promise<Needs> {
  const first = await measure(world, op, everyPhase, undefined)
  await requireValid(world, op, first)
  const context = contextFrom(first)
  const all = context === undefined ? first : await measure(world, op, everyPhase, context)
  requireExecuted(op, all)
  const gas = (phase: Phase): bigint => all.get(phase)?.gasUsed ?? 0n
  return {
    create: gas('create'),
    validate: gas('validate'),
    paymaster: gas('paymaster'),
    execute: gas('execute'),
    postOp: gas('postOp'),
    context,
  }
}

function contextFrom(outcomes: Outcomes): Hex | undefined {
  const paymaster = outcomes.get('paymaster')
  return paymaster === undefined ? undefined : contextOf(paymaster.returned)
}

/** @throws what the EntryPoint says about an operation whose validation fails with all the gas it wants */
async function requireValid(world: World, op: UserOperation, outcomes: Outcomes): Promise<void> {
  if (!passesValidation(op, outcomes)) throw await rejectionByEntryPoint(world, op)
  const account = parseValidationData(validationDataOf(outcomes.get('validate')?.returned ?? '0x'))
  if (account.authorizer !== 'signature-failed') requireAuthorized(op, 'account', account)
}

function passesValidation(op: UserOperation, outcomes: Outcomes): boolean {
  const create = outcomes.get('create')
  const validate = outcomes.get('validate')
  const paymaster = outcomes.get('paymaster')
  if (create !== undefined && !(create.success && createdSender(op, create.returned))) return false
  if (validate?.success !== true || size(validate.returned) !== 32) return false
  return (
    paymasterOf(op) === undefined || (paymaster?.success === true && answersWithContext(paymaster.returned))
  )
}

/** The EntryPoint's own words, when neither gas nor a paymaster's deposit is a question yet. */
async function rejectionByEntryPoint(world: World, assumed: UserOperation): Promise<TandemError> {
  const paymaster = paymasterOf(assumed)
  const op = {
    ...assumed,
    verificationGasLimit: everyPhase.validate,
    paymasterVerificationGasLimit: assumed.paymasterVerificationGasLimit === 0n ? 0n : everyPhase.paymaster,
  }
  const overrides = mergeOverrides(
    worldOverrides(world, op),
    simulationOverride(op.version),
    paymaster && depositOverride(entryPoints[op.version].address, paymaster, plentyOfDeposit),
  )
  const outcome = await ethCall(world.node, simulateValidationCall(op), world.job.block, overrides)
  try {
    readValidation(op, outcome)
  } catch (error) {
    if (error instanceof TandemError) return error
  }
  return new Unavailable('the EntryPoint accepts what the probe does not')
}

/** @throws TandemError for a call or a postOp that reverts with all the gas it wants */
function requireExecuted(op: UserOperation, outcomes: Outcomes): void {
  const execute = outcomes.get('execute')
  if (execute?.success === false) throw executionRevert(op, execute.returned)
  const postOp = outcomes.get('postOp')
  if (postOp?.success === false) throw postOpRevert(op, postOp.returned)
}
