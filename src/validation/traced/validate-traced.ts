import { keccak256 } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import { designatorOf } from '../../evm/delegation.ts'
import type { Word } from '../../evm/word.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { ValidateJob } from '../../types/ports/simulator.ts'
import { paymasterOf, type UserOperation } from '../../types/userop.ts'
import type { ValidationFacts, Verdict } from '../../types/verdict.ts'
import { nodeView } from '../chain-view.ts'
import type { GasFacts, OperationFacts } from '../rules/facts.ts'
import { type Asked, partiesOf, ruleBrokenBy } from '../rules/judge-rules.ts'
import { scopeOf } from '../rules/scope.ts'
import { simulateValidationCall } from '../simulation.ts'
import { judge, validationOverrides, verdictOf } from '../validate.ts'
import { codeAt, codesMet } from './codes-met.ts'
import type { NodeTracer } from './node-tracer.ts'
import { operationsOfTrace } from './operations-of-trace.ts'
import type { Trace } from './trace.ts'
import { outcomeOf, traceCall } from './trace-call.ts'

/** `tracers` in the order in which they are asked. */
export type TracedModules = { node: NodeClient; tracers: readonly NodeTracer[] }

/**
 * Validation at level `traced-by-node`: what the EntryPoint checks and all rules of ERC-7562, on what a node's tracer
 * tells. Where no node has a tracer it is `basic`, and for the caller to refuse; one that fails leaves it unknown.
 */
export function validateTraced(job: ValidateJob, asked: Asked, modules: TracedModules): Promise<Verdict> {
  return verdictOf(async () => {
    const request = simulateValidationCall(job.op)
    const overrides = validationOverrides(job)
    const view = nodeView(modules.node, job.block)
    const traced = traceCall(modules.tracers, request, job.block, overrides)
    const judged = await judge(job, {
      view,
      async simulate() {
        const trace = await traced
        return trace === undefined ? view.call(request, overrides) : outcomeOf(trace)
      },
    })
    const trace = await traced
    if (trace === undefined) return { ...judged, level: 'basic' }
    const { sender, factory, paymaster } = judged
    const facts = await factsOf(job, judged, trace, modules)
    const refusal = ruleBrokenBy(job.op, { facts, stakes: { account: sender, factory, paymaster } }, asked)
    if (refusal !== undefined) throw refusal
    return { ...judged, level: 'traced-by-node', scope: scopeOf(facts) }
  })
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

/**
 * gas between an EntryPoint's last look at verificationGasLimit and its reading for `preOpGas`, where nothing else is
 * in between: measured in the canonical code, which does not change.
 */
const gasBehindLimit: Readonly<Record<EntryPointVersion, number>> = { '0.6': 72, '0.7': 114, '0.8': 86 }

/** A trace has no gas of the EntryPoint's own: since 0.7 a paymaster's part cannot be told from the account's. */
function gasOf(op: UserOperation, { preOpGas }: Judged): GasFacts {
  const isTold = op.version === '0.6' || paymasterOf(op) === undefined
  const used = Number(preOpGas - op.preVerificationGas) - gasBehindLimit[op.version]
  return { verification: isTold ? used : undefined, paymasterVerification: undefined }
}
