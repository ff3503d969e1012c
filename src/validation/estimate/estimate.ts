import { concatHex, type Hex, numberToHex, size } from 'viem'
import { TandemError, Unavailable } from '../../base/errors.ts'
import type { EntryPointVersion } from '../../types/entrypoint.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { GasLimits, SimulatedGas } from '../../types/gas.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { EstimateJob } from '../../types/ports/simulator.ts'
import { paymasterOf, type UserOperation } from '../../types/userop.ts'
import { requireAuthorized } from '../acceptance.ts'
import { checkDelegation } from '../delegation.ts'
import { ethCall } from '../eth-call.ts'
import { depositOverride, mergeOverrides } from '../overrides.ts'
import { executionRevert, postOpRevert } from '../rejection.ts'
import {
  readHandling,
  readValidation,
  type SimulatedHandling,
  simulateHandleOpCall,
  simulateValidationCall,
  simulationOverride,
} from '../simulation.ts'
import { parseValidationData } from '../validation-data.ts'
import { executionLimits, grown, limitsFor, type Measured } from './limits.ts'
import {
  measure,
  type Outcomes,
  prefundOf,
  readEntryPointCode,
  readSenderBalance,
  type World,
  worldOverrides,
} from './measure.ts'
import { answersWithContext, contextOf, createdSender, type Phase, validationDataOf } from './phases.ts'

/** The EntryPoints' code on one chain: it never changes, and is read once. */
export type EntryPointCodes = Map<EntryPointVersion, Hex>

/** gas that every phase may take while it is measured: more than validation may have, and less than nodes give a call */
const generous = 10_000_000n
const everyPhase: Readonly<Record<Phase, bigint>> = {
  create: generous,
  validate: generous,
  paymaster: generous,
  execute: generous,
  postOp: generous,
}

/**
 * The limits that the operation carries while it is measured. They decide only the amounts that account and paymaster
 * are asked for, so they are what a large operation has: a token paymaster looks whether the sender has that much.
 */
const assumed: GasLimits = {
  verificationGasLimit: 1_000_000n,
  callGasLimit: 1_000_000n,
  paymasterVerificationGasLimit: 300_000n,
  paymasterPostOpGasLimit: 100_000n,
}
/** gas; the real one is worked out from the estimate, and is about this for a small operation */
const assumedPreVerificationGas = 60_000n

/** Final checks before giving up: a limit has grown to about six times what was measured then. */
const attempts = 8

/** From this attempt on a call that succeeds may have taken another path than with all the gas it wanted. */
const lenientFrom = 3

/** wei, below the 2^112 of 0.6 */
const plentyOfDeposit = 2n ** 100n

/**
 * Gas limits that were simulated exactly as they are returned (ERC-7769 eth_estimateUserOperationGas).
 * @throws TandemError -32521 when the call reverts, another of the table when the operation could not be sent;
 *   Unavailable when we could not tell
 */
export async function estimate(
  job: EstimateJob,
  modules: { node: NodeClient; codes: EntryPointCodes },
): Promise<SimulatedGas> {
  const world = await readWorld(job, modules)
  const op = estimated(job.op, assumed)
  const measured = await measureAll(world, op)
  return settle(world, job.op, measured)
}

async function readWorld(
  job: EstimateJob,
  { node, codes }: { node: NodeClient; codes: EntryPointCodes },
): Promise<World> {
  const { version } = job.op
  const [entryPointCode, senderBalance] = await Promise.all([
    codes.get(version) ?? readEntryPointCode(version, node, job.block),
    readSenderBalance(job, node),
    checkDelegation(job.op, node, job.block),
  ])
  codes.set(version, entryPointCode)
  return { job, node, entryPointCode, senderBalance }
}

/** The operation with these limits, and with all that a caller may have left out. */
function estimated(op: UserOperation, limits: GasLimits): UserOperation {
  const hasPaymaster = paymasterOf(op) !== undefined && op.version !== '0.6'
  return {
    ...op,
    ...limits,
    paymasterVerificationGasLimit: hasPaymaster ? limits.paymasterVerificationGasLimit : 0n,
    paymasterPostOpGasLimit: hasPaymaster ? limits.paymasterPostOpGasLimit : 0n,
    preVerificationGas: op.preVerificationGas === 0n ? assumedPreVerificationGas : op.preVerificationGas,
    // The most that the operation can be asked to pay, whatever the base fee will be.
    maxPriorityFeePerGas: op.maxFeePerGas,
    signature: size(op.signature) < size(dummySignature) ? dummySignature : op.signature,
  }
}

/** 65 bytes that ecrecover takes, with a low s: checking it costs what a real one costs and does not revert. */
const dummySignature: Hex = concatHex([
  numberToHex(2n ** 256n - 2n ** 132n, { size: 32 }),
  `0x7${'a'.repeat(63)}`,
  '0x1c',
])

/** Gas of every phase when it has all it wants; postOp needs the context that the paymaster gives in a first run. */
async function measureAll(world: World, op: UserOperation): Promise<Measured & { context: Hex | undefined }> {
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

/** The EntryPoint's own words, when a paymaster's deposit is no question yet. */
async function rejectionByEntryPoint(world: World, op: UserOperation): Promise<TandemError> {
  const paymaster = paymasterOf(op)
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

/** The final check with exactly the limits that are returned; a limit that is too low grows. */
async function settle(
  world: World,
  requested: UserOperation,
  measured: Measured & { context: Hex | undefined },
): Promise<SimulatedGas> {
  let limits = limitsFor(requested, measured)
  for (let attempt = 1; ; attempt++) {
    const trial = await tryLimits(
      world,
      estimated(requested, limits),
      limits,
      measured,
      attempt >= lenientFrom,
    )
    if (trial.kind === 'holds') {
      const { validAfter, validUntil } = trial.handling
      return { ...limits, validAfter, validUntil }
    }
    if (trial.field === undefined || attempt === attempts) throw trial.error
    limits = grown(requested.version, limits, trial.field)
  }
}

type Trial =
  | { kind: 'holds'; handling: SimulatedHandling }
  /** `field` is the limit that may be too low; without it, more gas will not help. */
  | { kind: 'fails'; error: Error; field: keyof GasLimits | undefined }

async function tryLimits(
  world: World,
  op: UserOperation,
  limits: GasLimits,
  measured: Measured & { context: Hex | undefined },
  lenient: boolean,
): Promise<Trial> {
  const overrides = mergeOverrides(worldOverrides(world, op), simulationOverride(op.version))
  const [outcome, outcomes] = await Promise.all([
    ethCall(world.node, simulateHandleOpCall(op), world.job.block, overrides),
    measure(world, op, { ...everyPhase, ...executionLimits(op.version, limits) }, measured.context),
  ])
  const handled = handlingOf(op, outcome)
  if (handled instanceof TandemError) {
    return { kind: 'fails', error: handled, field: limitOfCode.get(String(handled.data?.aaCode)) }
  }
  // From 0.7 on an operation whose prefund does not cover its cost fails in silence: it has paid all of it.
  if (op.maxFeePerGas > 0n && handled.paid >= prefundOf(op)) {
    const error = new TandemError(-32500, 'AA51 prefund below actualGasCost', {
      aaCode: 'AA51',
      entity: 'account',
    })
    return { kind: 'fails', error, field: 'verificationGasLimit' }
  }
  for (const phase of ['execute', 'postOp'] as const) {
    const run = outcomes.get(phase)
    if (measured[phase] === 0n || (run?.success && (lenient || run.gasUsed === measured[phase]))) continue
    const returned = run?.returned ?? '0x'
    const error = phase === 'execute' ? executionRevert(op, returned) : postOpRevert(op, returned)
    return { kind: 'fails', error, field: phase === 'execute' ? 'callGasLimit' : 'paymasterPostOpGasLimit' }
  }
  return { kind: 'holds', handling: handled }
}

function handlingOf(
  op: UserOperation,
  outcome: Awaited<ReturnType<typeof ethCall>>,
): SimulatedHandling | TandemError {
  try {
    return readHandling(op, outcome)
  } catch (error) {
    if (error instanceof TandemError && !(error instanceof Unavailable)) return error
    throw error
  }
}

/** The limit that is too low when a validation that passed with more gas fails with this code. */
const limitOfCode: ReadonlyMap<string, keyof GasLimits> = new Map([
  ['AA13', 'verificationGasLimit'],
  ['AA23', 'verificationGasLimit'],
  ['AA26', 'verificationGasLimit'],
  ['AA40', 'verificationGasLimit'],
  ['AA41', 'verificationGasLimit'],
  ['AA51', 'verificationGasLimit'],
  ['AA33', 'paymasterVerificationGasLimit'],
  ['AA36', 'paymasterVerificationGasLimit'],
  ['AA50', 'paymasterPostOpGasLimit'],
])
