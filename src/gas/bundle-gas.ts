import { type Address, zeroAddress } from 'viem'
import { encodeHandleOps } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { GasInBundle } from '../types/gas.ts'
import { paymasterOf, type UserOperation } from '../types/userop.ts'
import { authorizationGas, calldataFloor, calldataGas, countBytes, transactionBase } from './calldata.ts'

/**
 * One stretch of a bundle: how much gas must be left when it begins, and how much it may take. A call can get only
 * 63/64 of what is left (EIP-150), so more must be left than is taken.
 */
type Step = { left: bigint; taken: bigint }

/** What must be there so that a call, or a call in a call, can be given `gas`. */
const forwarded = (gas: bigint): bigint => (gas * 64n) / 63n + 1n

/** How an EntryPoint version spends the limits of an operation. */
type Spending = {
  validation(op: UserOperation): readonly Step[]
  execution(op: UserOperation): Step
}

/** gas of handleOps around a validation that its limit does not cover: a step of the loop, a copy of the operation */
const validationOverhead = 3_000n

/**
 * The same around an execution: frames, copies and the UserOperationEvent (9,000), the event for a failed call with 2 KB
 * of reason (18,500) and the refund to an empty deposit (22,100); with a paymaster, an event for a failed postOp too.
 */
const executionOverhead = (op: UserOperation): bigint => (paymasterOf(op) === undefined ? 50_000n : 70_000n)

/** gas of handleOps once: entry, memory, and a beneficiary that is a new account (25,000 + 9,000 + 2,600) */
const bundleOverhead = 55_000n

/** What the EntryPoint wants to see left in innerHandleOp beyond the limits; else AA95. */
const innerOverhead = { '0.6': 5_000n, '0.7': 10_000n, '0.8': 10_000n } as const

const step = (limit: bigint, overhead: bigint): Step => ({
  left: forwarded(limit) + overhead,
  taken: limit + overhead,
})

const separate = (version: '0.7' | '0.8'): Spending => ({
  validation: (op) =>
    paymasterOf(op) === undefined
      ? [step(op.verificationGasLimit, validationOverhead)]
      : [
          step(op.verificationGasLimit, validationOverhead),
          step(op.paymasterVerificationGasLimit, validationOverhead),
        ],
  execution: (op) => {
    const limits = op.callGasLimit + op.paymasterPostOpGasLimit
    return {
      left: forwarded(forwarded(limits + innerOverhead[version])) + executionOverhead(op),
      taken: limits + executionOverhead(op),
    }
  },
})

/** verificationGasLimit holds for each postOp anew, and a postOp that reverts is called a second time. */
const shared: Spending = {
  validation: (op) => [step(op.verificationGasLimit, validationOverhead)],
  execution: (op) => {
    const postOps = paymasterOf(op) === undefined ? 0n : 2n * op.verificationGasLimit
    const seen = op.callGasLimit + op.verificationGasLimit + innerOverhead['0.6']
    const taken = op.callGasLimit + postOps
    return {
      left: forwarded(forwarded(larger(seen, taken))) + executionOverhead(op),
      taken: taken + executionOverhead(op),
    }
  },
}

const spending: Readonly<Record<EntryPointVersion, Spending>> = {
  '0.6': shared,
  '0.7': separate('0.7'),
  '0.8': separate('0.8'),
}

/**
 * The gas limit that a bundle transaction needs when every operation uses up all of its limits: handleOps never runs
 * out of gas and never answers AA95.
 */
export function bundleGasLimit(
  version: EntryPointVersion,
  ops: readonly UserOperation[],
  beneficiary: Address,
  chain: { eip7623: boolean },
): bigint {
  const { validation, execution } = spending[version]
  const steps = [...ops.flatMap(validation), ...ops.map(execution)]
  const bytes = countBytes(encodeHandleOps(version, ops, beneficiary))
  const authorizations = BigInt(ops.filter((op) => op.eip7702Auth !== undefined).length)
  const intrinsic = transactionBase + calldataGas(bytes) + authorizations * authorizationGas
  const limit = intrinsic + bundleOverhead + gasAtStart(steps)
  const floor = transactionBase + calldataFloor(bytes, chain)
  return larger(limit, floor)
}

/** gas of a bundle before its first operation: its own calldata is 100 bytes, none dearer than 16 gas */
export const emptyBundleGas = transactionBase + bundleOverhead + 1_600n

/** What an operation adds: `bundleGasLimit` is never more than `emptyBundleGas` and this, added up over the bundle. */
export function gasInBundle(op: UserOperation, chain: { eip7623: boolean }): GasInBundle {
  const { validation, execution } = spending[op.version]
  const steps = [...validation(op), execution(op)]
  const bytes = countBytes(encodeHandleOps(op.version, [op], zeroAddress))
  const authorization = op.eip7702Auth === undefined ? 0n : authorizationGas
  const run = steps.reduce((sum, { taken }) => sum + taken, calldataGas(bytes) + authorization)
  return {
    taken: larger(run, calldataFloor(bytes, chain)),
    reserve: steps.reduce((most, { left, taken }) => larger(most, left - taken), 0n),
  }
}

/** Backwards: before each step there must be what it wants to see, and what it takes with what comes after. */
function gasAtStart(steps: readonly Step[]): bigint {
  return steps.reduceRight((after, { left, taken }) => larger(left, taken + after), 0n)
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
