import simulations07 from 'entrypoint-0.7/artifacts/EntryPointSimulations.json'
import simulations08 from 'entrypoint-0.8/artifacts/EntryPointSimulations.json'
import {
  type Abi,
  type AbiFunction,
  type Address,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { Unavailable } from '../base/errors.ts'
import type { StakeInfo } from '../types/entity.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { StateOverrides } from '../types/ports/simulator.ts'
import type { UserOperation } from '../types/userop.ts'
import { word } from '../types/userop-encode.ts'
import { bundlerAddress } from './bundler-address.ts'
import type { CallOutcome, CallRequest } from './eth-call.ts'
import { mergeOverrides } from './overrides.ts'
import { rejectionOfRevert } from './rejection.ts'
import { decodeValidationResult, type SimulatedValidation } from './simulated-validation.ts'
import { alwaysValid, authorizerOf, intersect, parseValidationData, timeRangeOf } from './validation-data.ts'

/** What simulateHandleOp tells; `paid` in wei. */
export type SimulatedHandling = {
  preOpGas: bigint
  paid: bigint
  validAfter: number | undefined
  validUntil: number | undefined
  /** What the call after the operation returned. */
  returned: Hex
}

/** How an EntryPoint version simulates. */
type Simulation = {
  /** Code that stands at the EntryPoint's address meanwhile; `undefined`: it can do it itself. */
  code: Hex | undefined
  abi: Abi
  /** The simulation reverts with its result, as 0.6 does. */
  decodeValidation(outcome: CallOutcome): SimulatedValidation | undefined
  decodeHandling(outcome: CallOutcome): SimulatedHandling | undefined
  /** Whether a failed signature or a time range can be told to be the account's or the paymaster's. */
  tellsPaymasterApart: boolean
}

const results06 = parseAbi([
  'struct ReturnInfo { uint256 preOpGas; uint256 prefund; bool sigFailed; uint48 validAfter; uint48 validUntil; bytes paymasterContext; }',
  'struct StakeInfo { uint256 stake; uint256 unstakeDelaySec; }',
  'struct AggregatorStakeInfo { address aggregator; StakeInfo stakeInfo; }',
  'error ValidationResult(ReturnInfo returnInfo, StakeInfo senderInfo, StakeInfo factoryInfo, StakeInfo paymasterInfo)',
  'error ValidationResultWithAggregation(ReturnInfo returnInfo, StakeInfo senderInfo, StakeInfo factoryInfo, StakeInfo paymasterInfo, AggregatorStakeInfo aggregatorInfo)',
  'error ExecutionResult(uint256 preOpGas, uint256 paid, uint48 validAfter, uint48 validUntil, bool targetSuccess, bytes targetResult)',
])

const results07 = parseAbi([
  'struct ExecutionResult { uint256 preOpGas; uint256 paid; uint256 accountValidationData; uint256 paymasterValidationData; bool targetSuccess; bytes targetResult; }',
  'function simulateHandleOp() returns (ExecutionResult)',
])

const stakeOf = (info: { stake: bigint; unstakeDelaySec: bigint }): StakeInfo => ({
  stake: info.stake,
  unstakeDelaySec: Number(info.unstakeDelaySec),
})

function result06(outcome: CallOutcome) {
  if (outcome.kind !== 'reverted') return undefined
  try {
    return decodeErrorResult({ abi: results06, data: outcome.data })
  } catch {
    return undefined
  }
}

const simulation06: Simulation = {
  code: undefined,
  abi: entryPoints['0.6'].abi,
  tellsPaymasterApart: false,
  decodeValidation(outcome) {
    const result = result06(outcome)
    if (result === undefined || result.errorName === 'ExecutionResult') return undefined
    const [info, sender, factory, paymaster, aggregation] = result.args
    const authorizer = authorizerOf(aggregation?.aggregator ?? zeroAddress)
    return {
      preOpGas: info.preOpGas,
      prefund: info.prefund,
      account: {
        authorizer: info.sigFailed ? 'signature-failed' : authorizer,
        ...timeRangeOf(BigInt(info.validAfter), BigInt(info.validUntil)),
      },
      paymaster: alwaysValid,
      sender: stakeOf(sender),
      factory: stakeOf(factory),
      paymasterStake: stakeOf(paymaster),
    }
  },
  decodeHandling(outcome) {
    const result = result06(outcome)
    if (result?.errorName !== 'ExecutionResult') return undefined
    const [preOpGas, paid, validAfter, validUntil, , returned] = result.args
    return { preOpGas, paid, ...timeRangeOf(BigInt(validAfter), BigInt(validUntil)), returned }
  },
}

const simulation07 = (artifact: { abi: unknown; deployedBytecode: string }): Simulation => ({
  code: artifact.deployedBytecode as Hex,
  abi: artifact.abi as Abi,
  tellsPaymasterApart: true,
  decodeValidation(outcome) {
    if (outcome.kind !== 'returned') return undefined
    return decodeValidationResult(outcome.data)
  },
  decodeHandling(outcome) {
    if (outcome.kind !== 'returned') return undefined
    const result = decodeFunctionResult({
      abi: results07,
      functionName: 'simulateHandleOp',
      data: outcome.data,
    })
    const range = intersect(
      parseValidationData(result.accountValidationData),
      parseValidationData(result.paymasterValidationData),
    )
    return { preOpGas: result.preOpGas, paid: result.paid, ...range, returned: result.targetResult }
  },
})

const simulations: Readonly<Record<EntryPointVersion, Simulation>> = {
  '0.6': simulation06,
  '0.7': simulation07(simulations07),
  '0.8': simulation07(simulations08),
}

/** Whether simulateValidation says if the account or the paymaster is at fault. */
export function tellsPaymasterApart(version: EntryPointVersion): boolean {
  return simulations[version].tellsPaymasterApart
}

/** The code override that lets the EntryPoint of `version` simulate. */
export function simulationOverride(version: EntryPointVersion): StateOverrides {
  const { code } = simulations[version]
  return code === undefined ? {} : mergeOverrides({ [entryPoints[version].address]: { code } })
}

const selectorIn = (abi: Abi): Hex =>
  toFunctionSelector(getAbiItem({ abi, name: 'simulateValidation' }) as AbiFunction)

const validationSelectors: Readonly<Record<EntryPointVersion, Hex>> = {
  '0.6': selectorIn(simulations['0.6'].abi),
  '0.7': selectorIn(simulations['0.7'].abi),
  '0.8': selectorIn(simulations['0.8'].abi),
}

/** bytes of the one head of simulateValidation, behind which the operation begins */
const behindOneHead = 32

export function simulateValidationCall(op: UserOperation): CallRequest {
  const { address, encode } = entryPoints[op.version]
  return { to: address, data: `${validationSelectors[op.version]}${word(behindOneHead)}${encode(op)}` }
}

/** The operation up to its end, whatever the account's signature is; `after` is called then. */
export function simulateHandleOpCall(
  op: UserOperation,
  after: { to: Address; data: Hex } = { to: zeroAddress, data: '0x' },
): CallRequest {
  const { abi } = simulations[op.version]
  const { address, pack } = entryPoints[op.version]
  const args: [object, Address, Hex] = [pack(op), after.to, after.data]
  const data = encodeFunctionData({ abi, functionName: 'simulateHandleOp', args })
  return { from: bundlerAddress, to: address, data }
}

/** @throws TandemError with what the EntryPoint said; Unavailable for an answer that it cannot have given */
export function readValidation(op: UserOperation, outcome: CallOutcome): SimulatedValidation {
  return read(op, outcome, simulations[op.version].decodeValidation)
}

/** @throws as `readValidation` */
export function readHandling(op: UserOperation, outcome: CallOutcome): SimulatedHandling {
  return read(op, outcome, simulations[op.version].decodeHandling)
}

function read<Result>(
  op: UserOperation,
  outcome: CallOutcome,
  decode: (outcome: CallOutcome) => Result | undefined,
): Result {
  const result = decoded(outcome, decode)
  if (result !== undefined) return result
  if (outcome.kind === 'reverted') throw rejectionOfRevert(op, outcome.data)
  throw new Unavailable(`the EntryPoint ${op.version} of this chain answered no simulation`)
}

function decoded<Result>(
  outcome: CallOutcome,
  decode: (outcome: CallOutcome) => Result | undefined,
): Result | undefined {
  try {
    return decode(outcome)
  } catch {
    return undefined
  }
}
