import { keccak256 } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import { designatorOf } from '../../evm/delegation.ts'
import type { Word } from '../../evm/word.ts'
import type { StakeRequirement } from '../../types/entity.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { ValidateJob } from '../../types/ports/simulator.ts'
import { factoryOf, paymasterOf, type UserOperation } from '../../types/userop.ts'
import type { ValidationFacts, ValidationLevel, Verdict } from '../../types/verdict.ts'
import { nodeView } from '../chain-view.ts'
import { checkRules } from '../rules/check-rules.ts'
import type { GasFacts, OperationFacts, Parties } from '../rules/facts.ts'
import type { RuleOptions } from '../rules/finding.ts'
import { rejectionOfFinding, worstOf } from '../rules/rejection.ts'
import { simulateValidationCall } from '../simulation.ts'
import { judge, validationOverrides, verdictOf } from '../validate.ts'
import { codeAt, codesMet } from './codes-met.ts'
import type { NodeTracer } from './node-tracer.ts'
import { operationsOfTrace } from './operations-of-trace.ts'
import type { Trace } from './trace.ts'
import { outcomeOf, traceCall } from './trace-call.ts'

/** What the chain's operator asks of validations at a node. */
export type TracedOptions = {
  /** The lowest level that an operation may be accepted at. */
  lowestLevel: ValidationLevel
  required: StakeRequirement
  precompiles: RuleOptions['precompiles']
}

/** `tracers` in the order in which they are asked. */
export type TracedModules = { node: NodeClient; tracers: readonly NodeTracer[] }

/**
 * Validation at level `traced-by-node`: what the EntryPoint checks and all rules of ERC-7562, on what a node's tracer
 * tells. Where no node has one it is `basic` if that may be, else unknown; a tracer that fails makes it unknown always.
 */
export function validateTraced(
  job: ValidateJob,
  options: TracedOptions,
  modules: TracedModules,
): Promise<Verdict> {
  return verdictOf(async () => {
    const request = simulateValidationCall(job.op)
    const view = nodeView(modules.node, job.block)
    const traced = traceCall(modules.tracers, request, job.block, validationOverrides(job))
    const judged = await judge(job, {
      view,
      async simulate() {
        const trace = await traced
        return trace === undefined ? view.call(request, validationOverrides(job)) : outcomeOf(trace)
      },
    })
    const trace = await traced
    if (trace === undefined) return { ...judged, level: basicIfAllowed(options) }
    requireRules(job.op, await factsOf(job, judged, trace, modules), judged, options)
    return { ...judged, level: 'traced-by-node' }
  })
}

function basicIfAllowed({ lowestLevel }: TracedOptions): 'basic' {
  if (lowestLevel === 'basic') return 'basic'
  throw new Unavailable('no node of the chain has a tracer, and validation without the rules is not allowed')
}

type Judged = Omit<ValidationFacts, 'level'>

async function factsOf(
  { op, block }: ValidateJob,
  judged: Judged,
  trace: Trace,
  { node }: TracedModules,
): Promise<OperationFacts> {
  const call = { version: op.version, operations: [partiesOf(op)] }
  const [operation] = operationsOfTrace(call, trace, { keccak: (bytes) => BigInt(keccak256(bytes)) })
  if (operation === undefined) throw new Unavailable('a trace of a validation without a validation in it')
  const read = codeAt(node, block)
  const authorized = op.eip7702Auth
  const codes = await codesMet(operation, async (address: Word) =>
    authorized !== undefined && address === BigInt(op.sender)
      ? designatorOf(BigInt(authorized.address))
      : read(address),
  )
  return { ...operation, codes, gas: gasOf(op, judged) }
}

function partiesOf(op: UserOperation): Parties {
  const factory = factoryOf(op)
  const paymaster = paymasterOf(op)
  return {
    entryPoint: BigInt(entryPoints[op.version].address),
    account: BigInt(op.sender),
    factory: factory === undefined ? undefined : BigInt(factory),
    paymaster: paymaster === undefined ? undefined : BigInt(paymaster),
  }
}

/**
 * What the EntryPoint says it used until execution. Since 0.7 a paymaster's part is in it that has a limit of its own:
 * then neither can be told.
 */
function gasOf(op: UserOperation, { preOpGas }: Judged): GasFacts {
  const isAccounts = op.version === '0.6' || paymasterOf(op) === undefined
  return {
    verification: isAccounts ? Number(preOpGas - op.preVerificationGas) : undefined,
    paymasterVerification: undefined,
  }
}

/** @throws TandemError for the worst rule that the operation breaks */
function requireRules(
  op: UserOperation,
  facts: OperationFacts,
  { sender, factory, paymaster }: Judged,
  { required, precompiles }: TracedOptions,
): void {
  const stakes = { account: sender, factory, paymaster }
  const worst = worstOf(checkRules(facts, op, { stakes, required, precompiles }))
  if (worst !== undefined) throw rejectionOfFinding(worst, required)
}
