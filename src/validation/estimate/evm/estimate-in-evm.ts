import { withOverrides } from '../../../evm/state/overrides.ts'
import type { StateSource } from '../../../evm/state-source.ts'
import type { GasLimits, SimulatedGas } from '../../../types/gas.ts'
import type { Phase } from '../../../types/phase.ts'
import type { EstimateJob, StateOverrides } from '../../../types/ports/simulator.ts'
import type { UserOperation } from '../../../types/userop.ts'
import type { ChainView } from '../../chain-view.ts'
import { checkDelegationToSign, delegationOverrides } from '../../delegation.ts'
import { evmOverridesOf } from '../../evm-overrides.ts'
import type { EvmWorld } from '../../handling/handle-op.ts'
import type { HandlingFacts, PhaseRun } from '../../handling/handling-watch.ts'
import { mergeOverrides } from '../../overrides.ts'
import { executionRevert, postOpRevert } from '../../rejection.ts'
import type { AttemptModules } from '../../state/attempt.ts'
import { sequenceOverride } from '../../validate.ts'
import { intersect } from '../../validation-data.ts'
import { assumedLimits, completed } from '../completed.ts'
import { settle, type Trial } from '../settle.ts'
import { requireDeployed } from './deployed.ts'
import { type Failure, failureOf } from './failure.ts'
import { withPayingPaymaster, withPayingSender } from './funded.ts'
import { limitsForRun } from './limits-for.ts'
import { type LenientRun, runLenient } from './run-lenient.ts'

/** A block's state for runs of one operation: calls `attempt` until it had all the state that it asked for. */
export type StateRuns = <Result>(attempt: (modules: AttemptModules) => Result) => Promise<Result>

/** gas for a phase that takes more than was assumed: more than validation may have, and less than nodes give a call */
const generous = 10_000_000n

/** A limit grows to two hundred times what was measured: by then the code wants gas that it does not use. */
const attempts = 24

/**
 * gas of all runs of one estimate together; about a second of work. Honest operations take a hundredth: who needs more
 * is code that looks at its gas.
 */
const gasBudget = 100_000_000

/** From this attempt on a call need only succeed; before, it must also go the way it went with all the gas it wanted. */
const lenientFrom = 4

/**
 * Limits from runs of handleOps in our own EVM: one with all the gas that the operation may want, one or more with
 * exactly what is returned.
 * @throws TandemError -32521 when the call reverts, another of the table when the operation could not be sent;
 *   Unavailable when we could not tell; and what the EVM throws
 */
export async function estimateInEvm(
  job: EstimateJob,
  modules: EvmWorld & { runs: StateRuns; view: Pick<ChainView, 'chainId' | 'authority'> },
): Promise<SimulatedGas> {
  const { op } = job
  await checkDelegationToSign(op, modules.view)
  const overrides = evmOverridesOf(estimateOverrides(job))
  await modules.runs(({ source, keccak }) => requireDeployed(op, withOverrides(source, overrides, keccak)))
  let spent = 0

  async function handle(limits: GasLimits, prepare: Preparation): Promise<LenientRun> {
    const tried = completed(op, limits)
    const run = await modules.runs(({ source, keccak }) => {
      const world = { source: withOverrides(source, overrides, keccak), keccak }
      const chain = { ...modules.chain, keccak }
      return runLenient(tried, { ...modules, chain, source: prepare(tried, world) })
    })
    spent += gasOf(run.facts)
    return run
  }

  const measured = await measure(op, (limits) =>
    handle(limits, (tried, world) =>
      withPayingPaymaster(tried, { ...world, source: withPayingSender(tried, world) }),
    ),
  )
  return settle(
    { version: op.version, measured: limitsForRun(op.version, measured), attempts },
    async (limits, attempt) => {
      const run = await handle(limits, withPayingSender)
      const trial = trialOf(op, run, attempt < lenientFrom ? measured : undefined)
      return trial.kind === 'fails' && spent > gasBudget ? { ...trial, field: undefined } : trial
    },
  )
}

/** The chain as the caller wants it, once the operation is next in line and its sender delegated. */
export function estimateOverrides(job: EstimateJob): StateOverrides {
  return mergeOverrides(job.stateOverrides, delegationOverrides([job.op]), sequenceOverride(job))
}

type Preparation = (op: UserOperation, modules: AttemptModules) => StateSource

/** With all the gas that it may want. @throws the error of an operation that fails even so */
async function measure(
  op: UserOperation,
  handle: (limits: GasLimits) => Promise<LenientRun>,
): Promise<HandlingFacts> {
  let limits = assumedLimits
  for (;;) {
    const run = await handle(limits)
    const failure = failureOf(op, run)
    if (failure === undefined) return run.facts
    const field = failure.field === undefined ? undefined : fieldIn(op, failure.field)
    if (field === undefined || limits[field] === generous) throw failure.error
    limits = { ...limits, [field]: generous }
  }
}

/** In 0.6 the paymaster's limits are the account's. */
function fieldIn({ version }: UserOperation, field: keyof GasLimits): keyof GasLimits {
  return version === '0.6' && field !== 'callGasLimit' ? 'verificationGasLimit' : field
}

/** @param like the run that this one must go like */
function trialOf(op: UserOperation, run: LenientRun, like: HandlingFacts | undefined): Trial {
  const failure = failureOf(op, run) ?? (like && detourOf(op, run.facts, like))
  if (failure !== undefined) return { kind: 'fails', ...failure }
  return { kind: 'holds', range: intersect(run.answers.account, run.answers.paymaster) }
}

/** Per cent of the gas that a phase took before, which the same way takes at least: amounts may be shorter numbers. */
const sameGas = 99

/** The call or postOp went another way, such as code does that hides its lack of gas. */
function detourOf(op: UserOperation, run: HandlingFacts, like: HandlingFacts): Failure | undefined {
  const detours = (phase: Phase): boolean => {
    const [before, after] = [like.phases.get(phase), run.phases.get(phase)]
    return before !== undefined && !(after !== undefined && isSameWay(before, after))
  }
  if (detours('execute')) return { error: executionRevert(op, '0x'), field: 'callGasLimit' }
  if (detours('postOp')) return { error: postOpRevert(op, '0x'), field: 'paymasterPostOpGasLimit' }
  return undefined
}

function isSameWay(before: PhaseRun, after: PhaseRun): boolean {
  const sameCalls = after.frames === before.frames && after.failures === before.failures
  return sameCalls && after.gasUsed * 100 >= before.gasUsed * sameGas
}

function gasOf({ phases }: HandlingFacts): number {
  return [...phases.values()].reduce((sum, { gasUsed }) => sum + gasUsed, 0)
}
