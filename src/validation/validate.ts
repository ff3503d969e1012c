import type { Address } from 'viem'
import { describe, TandemError, toWire, Unavailable } from '../base/errors.ts'
import { Unsupported } from '../evm/outcome.ts'
import type { DepositInfo, StakeInfo } from '../types/entity.ts'
import { encodeHandleOps, entryPoints } from '../types/entrypoint.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { StateOverrides, ValidateJob } from '../types/ports/simulator.ts'
import { factoryOf, nonceKey, paymasterOf, type UserOperation } from '../types/userop.ts'
import type { ValidationFacts, Verdict } from '../types/verdict.ts'
import { isInTime, requireAuthorized, requireInTime, type Validator } from './acceptance.ts'
import { type ChainView, nodeView } from './chain-view.ts'
import { checkDelegation, delegationOverrides } from './delegation.ts'
import type { CallOutcome } from './eth-call.ts'
import { mergeOverrides, nonceOverride } from './overrides.ts'
import { failedOpIn } from './rejection.ts'
import type { SimulatedValidation } from './simulated-validation.ts'
import {
  readValidation,
  simulateValidationCall,
  simulationOverride,
  tellsPaymasterApart,
} from './simulation.ts'
import { alwaysValid, intersect, type ValidationData } from './validation-data.ts'

/** Validation at level `basic`: all that the EntryPoint itself checks, and none of the ERC-7562 rules. */
export function validate(job: ValidateJob, { node }: { node: NodeClient }): Promise<Verdict> {
  const view = nodeView(node, job.block)
  const simulate = () => view.call(simulateValidationCall(job.op), validationOverrides(job))
  return verdictOf(async () => ({ ...(await judge(job, { view, simulate })), level: 'basic' }))
}

/** The same once the account has signed. */
export function rehearse(job: ValidateJob, { node }: { node: NodeClient }): Promise<Verdict> {
  const view = nodeView(node, job.block)
  const simulate = () => view.call(simulateValidationCall(job.op), validationOverrides(job))
  return verdictOf(async () => ({ ...(await judge(job, { view, simulate }, 'awaited')), level: 'basic' }))
}

/**
 * What is thrown on purpose is a rejection; everything else leaves it unknown.
 * @throws Unsupported: another engine has to say
 */
export async function verdictOf(task: () => Promise<ValidationFacts>): Promise<Verdict> {
  try {
    return { kind: 'accepted', facts: await task() }
  } catch (error) {
    if (error instanceof Unsupported) throw error
    if (error instanceof TandemError && !(error instanceof Unavailable)) {
      return { kind: 'rejected', error: toWire(error) }
    }
    return { kind: 'unknown', cause: describe(error) }
  }
}

/** `awaited`: the account signs later, so that a signature of its own that fails is no fault. */
export type AccountSignature = 'given' | 'awaited'

/**
 * All that the EntryPoint itself checks. `simulate` is the call of simulateValidation with `validationOverrides`.
 * @throws TandemError of the error table, Unavailable
 */
export async function judge(
  job: ValidateJob,
  { view, simulate }: { view: ChainView; simulate: () => Promise<CallOutcome> },
  signature: AccountSignature = 'given',
): Promise<Omit<ValidationFacts, 'level'>> {
  const { op, block } = job
  const paymaster = paymasterOf(op)
  const [outcome, payer] = await Promise.all([
    simulate(),
    paymaster === undefined ? undefined : view.depositInfoOf(paymaster, op.version),
    checkDelegation(op, view),
  ])
  const read = readValidation(op, outcome)
  const result = signature === 'given' ? read : { ...read, account: onceSigned(op, read.account) }

  const validator = await whoAnswered(job, result, view)
  requireAuthorized(op, validator, result.account)
  requireAuthorized(op, 'paymaster', result.paymaster)
  requireInTime(op, validator, result.account, block.timestamp)
  requireInTime(op, 'paymaster', result.paymaster, block.timestamp)

  const factory = factoryOf(op)
  const stakeOf = async (told: StakeInfo, address: Address) =>
    told.stake === 0n ? told : stakeThatCounts(told, await view.depositInfoOf(address, op.version))
  return {
    block: { number: block.number, hash: block.hash },
    prefund: result.prefund,
    preOpGas: result.preOpGas,
    ...intersect(result.account, result.paymaster),
    sender: await stakeOf(result.sender, op.sender),
    factory: factory === undefined ? undefined : await stakeOf(result.factory, factory),
    paymaster:
      paymaster === undefined || payer === undefined
        ? undefined
        : { ...stakeThatCounts(result.paymasterStake, payer), address: paymaster, deposit: payer.deposit },
  }
}

/** A simulation tells a stake until it is withdrawn; unlocked, it counts for nothing (`lockedStake`). */
function stakeThatCounts(told: StakeInfo, info: DepositInfo): StakeInfo {
  return info.stake > 0n && !info.isLocked ? { ...told, stake: 0n } : told
}

/** What the chain must pretend for simulateValidation of a job's operation. */
export function validationOverrides(
  job: Pick<ValidateJob, 'op' | 'nonceSequence'> & { stateOverrides?: StateOverrides | undefined },
): StateOverrides {
  return mergeOverrides(
    job.stateOverrides,
    simulationOverride(job.op.version),
    delegationOverrides([job.op]),
    sequenceOverride(job),
  )
}

/** The EntryPoint believes the operation's sequence to be the next of its key, if the job says so. */
export function sequenceOverride(job: {
  op: UserOperation
  nonceSequence: bigint | undefined
}): StateOverrides {
  if (job.nonceSequence === undefined) return {}
  const { sender, nonce, version } = job.op
  return nonceOverride(entryPoints[version].address, sender, nonceKey(nonce), job.nonceSequence)
}

/** An account's part without its failed signature; what 0.6 merges with that cannot be told from it. */
function onceSigned({ version }: UserOperation, answered: ValidationData): ValidationData {
  if (answered.authorizer !== 'signature-failed') return answered
  return tellsPaymasterApart(version) ? { ...answered, authorizer: 'valid' } : alwaysValid
}

/** Whom an error in the account's part is about. 0.6 merges both parts; then handleOps tells, by AA2x or AA3x. */
async function whoAnswered(
  job: ValidateJob,
  result: SimulatedValidation,
  view: ChainView,
): Promise<Validator> {
  const { op, block } = job
  const faulty =
    result.account.authorizer === 'signature-failed' || !isInTime(result.account, block.timestamp)
  if (!faulty || tellsPaymasterApart(op.version) || paymasterOf(op) === undefined) return 'account'
  const call = { to: entryPoints[op.version].address, data: encodeHandleOps(op.version, [op], beneficiary) }
  const outcome = await view.call(call, sequenceOverride(job))
  const reason = outcome.kind === 'reverted' ? failedOpIn(outcome.data)?.reason : undefined
  return reason?.startsWith('AA3') ? 'paymaster' : 'account'
}

/** Any address that takes money: nothing is kept. */
const beneficiary: Address = '0x000000000000000000000000000000000000dEaD'
