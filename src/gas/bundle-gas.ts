import { type Address, zeroAddress } from 'viem'
import { type EntryPointVersion, encodeHandleOps } from '../types/entrypoint.ts'
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

/**
 * gas that handleOps takes for an operation outside of its limits in each of the two phases: copying, checks, events,
 * refund. Measured at 8,200 in all (see preverification.ts) plus an event for a failed call or postOp with 2 KB of
 * reason (18,000 each) and the refund to a cold deposit (22,100).
 */
const validationOverhead = 10_000n
const executionOverhead = 75_000n

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
      left: forwarded(forwarded(limits + innerOverhead[version])) + executionOverhead,
      taken: limits + executionOverhead,
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
      left: forwarded(forwarded(larger(seen, taken))) + executionOverhead,
      taken: taken + executionOverhead,
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

/**
 * The most gas that an operation adds to the limit of its bundle: `bundleGasLimit` is never more than
 * `emptyBundleGas` and this for each operation, and less by no more than the 1/32 that calls keep back.
 */
export function gasInBundle(op: UserOperation, chain: { eip7623: boolean }): bigint {
  const { validation, execution } = spending[op.version]
  const run = [...validation(op), execution(op)].reduce((sum, { left }) => sum + left, 0n)
  const bytes = countBytes(encodeHandleOps(op.version, [op], zeroAddress))
  const authorization = op.eip7702Auth === undefined ? 0n : authorizationGas
  return larger(calldataGas(bytes) + authorization + run, calldataFloor(bytes, chain))
}

/** Backwards: before each step there must be what it wants to see, and what it takes with what comes after. */
function gasAtStart(steps: readonly Step[]): bigint {
  return steps.reduceRight((after, { left, taken }) => larger(left, taken + after), 0n)
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
