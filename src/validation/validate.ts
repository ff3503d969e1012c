import { type Address, encodeFunctionData, type Hex } from 'viem'
import { describe, TandemError, toWire, Unavailable } from '../base/errors.ts'
import { encodeHandleOps, entryPoints } from '../types/entrypoint.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { StateOverrides, ValidateJob } from '../types/ports/simulator.ts'
import { factoryOf, nonceKey, paymasterOf, type UserOperation } from '../types/userop.ts'
import type { ValidationFacts, Verdict } from '../types/verdict.ts'
import { isInTime, requireAuthorized, requireInTime, type Validator } from './acceptance.ts'
import { checkDelegation, delegationOverrides } from './delegation.ts'
import { ethCall } from './eth-call.ts'
import { mergeOverrides, nonceOverride } from './overrides.ts'
import { failedOpIn } from './rejection.ts'
import {
  readValidation,
  type SimulatedValidation,
  simulateValidationCall,
  simulationOverride,
  tellsPaymasterApart,
} from './simulation.ts'
import { intersect } from './validation-data.ts'

/** Validation at level `basic`: all that the EntryPoint itself checks, and none of the ERC-7562 rules. */
export async function validate(job: ValidateJob, modules: { node: NodeClient }): Promise<Verdict> {
  try {
    return { kind: 'accepted', facts: await factsOf(job, modules) }
  } catch (error) {
    if (error instanceof TandemError && !(error instanceof Unavailable)) {
      return { kind: 'rejected', error: toWire(error) }
    }
    return { kind: 'unknown', cause: describe(error) }
  }
}

async function factsOf(job: ValidateJob, { node }: { node: NodeClient }): Promise<ValidationFacts> {
  const { op, block } = job
  const paymaster = paymasterOf(op)
  const overrides = mergeOverrides(
    simulationOverride(op.version),
    delegationOverrides([op]),
    sequenceOverride(job),
  )
  const [outcome, deposit] = await Promise.all([
    ethCall(node, simulateValidationCall(op), block, overrides),
    paymaster === undefined ? 0n : depositOf(op, paymaster, job, node),
    checkDelegation(op, node, block),
  ])
  const result = readValidation(op, outcome)

  const validator = await whoAnswered(job, result, node)
  requireAuthorized(op, validator, result.account)
  requireAuthorized(op, 'paymaster', result.paymaster)
  requireInTime(op, validator, result.account, block.timestamp)
  requireInTime(op, 'paymaster', result.paymaster, block.timestamp)

  return {
    level: 'basic',
    block: { number: block.number, hash: block.hash },
    prefund: result.prefund,
    preOpGas: result.preOpGas,
    ...intersect(result.account, result.paymaster),
    sender: result.sender,
    factory: factoryOf(op) === undefined ? undefined : result.factory,
    paymaster:
      paymaster === undefined ? undefined : { ...result.paymasterStake, address: paymaster, deposit },
  }
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

/** wei */
async function depositOf(
  op: UserOperation,
  account: Address,
  { block }: Pick<ValidateJob, 'block'>,
  node: NodeClient,
): Promise<bigint> {
  const { address, abi } = entryPoints[op.version]
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [account] })
  return BigInt(await node.requestAt<Hex>('eth_call', [{ to: address, data }], block))
}

/** Whom an error in the account's part is about. 0.6 merges both parts; then handleOps tells, by AA2x or AA3x. */
async function whoAnswered(
  job: ValidateJob,
  result: SimulatedValidation,
  node: NodeClient,
): Promise<Validator> {
  const { op, block } = job
  const faulty =
    result.account.authorizer === 'signature-failed' || !isInTime(result.account, block.timestamp)
  if (!faulty || tellsPaymasterApart(op.version) || paymasterOf(op) === undefined) return 'account'
  const call = { to: entryPoints[op.version].address, data: encodeHandleOps(op.version, [op], beneficiary) }
  const outcome = await ethCall(node, call, block, sequenceOverride(job))
  const reason = outcome.kind === 'reverted' ? failedOpIn(outcome.data)?.reason : undefined
  return reason?.startsWith('AA3') ? 'paymaster' : 'account'
}

/** Any address that takes money: nothing is kept. */
const beneficiary: Address = '0x000000000000000000000000000000000000dEaD'
