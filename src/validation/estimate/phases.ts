import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  isAddressEqual,
  parseAbi,
  size,
  slice,
  toFunctionSelector,
} from 'viem'
import type { ProbeCall } from '../../contracts/probe.ts'
import { entryPoints, userOperationHash } from '../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Phase } from '../../types/phase.ts'
import { eip7702Factory, paymasterOf, type UserOperation } from '../../types/userop.ts'
import {
  initCodeOf,
  type UserOperationStruct06,
  type UserOperationStruct07,
} from '../../types/userop-pack.ts'
import { entityAbi06, entityAbi07 } from '../entity-abi.ts'

export type PhaseCall = ProbeCall & { phase: Phase }

/** What the EntryPoint has worked out when it makes a call: amounts in wei, and the paymaster's context. */
export type Circumstances = { missingFunds: bigint; prefund: bigint; context: Hex | undefined }

type Calls = {
  validate(op: UserOperation, hash: Hex, missingFunds: bigint): Hex
  paymaster(op: UserOperation, hash: Hex, prefund: bigint): Hex
  execute(op: UserOperation, hash: Hex): Hex
  postOp(op: UserOperation, context: Hex, cost: bigint): Hex
}

const packed = (op: UserOperation): UserOperationStruct06 | UserOperationStruct07 =>
  entryPoints[op.version].pack(op)

/** IPaymaster.PostOpMode.opSucceeded */
const opSucceeded = 0

/** IAccountExecute of 0.7 and later: such callData asks for the whole operation. */
const executeUserOpSelector = toFunctionSelector(
  'executeUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32)',
)

type Argument = Hex | bigint | number | UserOperationStruct06 | UserOperationStruct07

const call = (abi: Abi, functionName: string, args: readonly Argument[]): Hex =>
  encodeFunctionData({ abi, functionName, args })

const callsOf = (abi: Abi): Calls => ({
  validate: (op, hash, missingFunds) => call(abi, 'validateUserOp', [packed(op), hash, missingFunds]),
  paymaster: (op, hash, prefund) => call(abi, 'validatePaymasterUserOp', [packed(op), hash, prefund]),
  execute: (op, hash) =>
    op.callData.startsWith(executeUserOpSelector)
      ? call(abi, 'executeUserOp', [packed(op), hash])
      : op.callData,
  postOp: (op, context, cost) => call(abi, 'postOp', [opSucceeded, context, cost, op.maxFeePerGas]),
})

const calls: Readonly<Record<EntryPointVersion, Calls>> = {
  '0.6': {
    ...callsOf(entityAbi06),
    execute: (op) => op.callData,
    postOp: (_op, context, cost) => call(entityAbi06, 'postOp', [opSucceeded, context, cost]),
  },
  '0.7': callsOf(entityAbi07),
  '0.8': callsOf(entityAbi07),
}

/** The EntryPoint's helper that calls factories: the first contract that it created. */
function senderCreatorOf(version: EntryPointVersion): Address {
  return getContractAddress({ from: entryPoints[version].address, nonce: 1n })
}

/** The calls that `op` needs, each with the gas that `limits` gives its phase. */
export function phaseCalls(
  op: UserOperation,
  chainId: number,
  { missingFunds, prefund, context }: Circumstances,
  limits: Readonly<Record<Phase, bigint>>,
): readonly PhaseCall[] {
  const hash = userOperationHash(op, chainId)
  const make = calls[op.version]
  const paymaster = paymasterOf(op)
  const made: (PhaseCall | undefined)[] = [
    createCall(op, limits.create),
    {
      phase: 'validate',
      target: op.sender,
      gasLimit: limits.validate,
      data: make.validate(op, hash, missingFunds),
    },
    paymaster && {
      phase: 'paymaster',
      target: paymaster,
      gasLimit: limits.paymaster,
      data: make.paymaster(op, hash, prefund),
    },
    op.callData === '0x'
      ? undefined
      : { phase: 'execute', target: op.sender, gasLimit: limits.execute, data: make.execute(op, hash) },
    paymaster && context !== undefined
      ? {
          phase: 'postOp',
          target: paymaster,
          gasLimit: limits.postOp,
          data: make.postOp(op, context, prefund),
        }
      : undefined,
  ]
  return made.filter((one) => one !== undefined)
}

const creatorAbi = parseAbi([
  'function createSender(bytes initCode) returns (address)',
  'function initEip7702Sender(address sender, bytes initCallData)',
])

function createCall(op: UserOperation, gasLimit: bigint): PhaseCall | undefined {
  if (op.factory === undefined) return undefined
  const target = senderCreatorOf(op.version)
  if (op.factory !== eip7702Factory) {
    const data = encodeFunctionData({
      abi: creatorAbi,
      functionName: 'createSender',
      args: [initCodeOf(op)],
    })
    return { phase: 'create', target, gasLimit, data }
  }
  if (op.factoryData === '0x') return undefined
  const args = [op.sender, op.factoryData] as const
  return {
    phase: 'create',
    target,
    gasLimit,
    data: encodeFunctionData({ abi: creatorAbi, functionName: 'initEip7702Sender', args }),
  }
}

/** Whether the factory did what it should: the sender creator hides a revert behind the zero address. */
export function createdSender(op: UserOperation, returned: Hex): boolean {
  if (op.factory === eip7702Factory) return true
  return size(returned) === 32 && isAddressEqual(slice(returned, 12, 32), op.sender)
}

const paymasterResult = parseAbi([
  'function validatePaymasterUserOp() returns (bytes context, uint256 validationData)',
])

/** Whether a paymaster's answer to validatePaymasterUserOp can be read. */
export function answersWithContext(returned: Hex): boolean {
  try {
    contextOf(returned)
    return true
  } catch {
    return false
  }
}

/** The context that postOp will get; `undefined` when there will be no postOp. @throws for an answer that has none */
export function contextOf(returned: Hex): Hex | undefined {
  const [context] = decodeFunctionResult({
    abi: paymasterResult,
    functionName: 'validatePaymasterUserOp',
    data: returned,
  })
  return context === '0x' ? undefined : context
}

/** The account's answer to validateUserOp. */
export function validationDataOf(returned: Hex): bigint {
  return BigInt(slice(returned, 0, 32))
}
