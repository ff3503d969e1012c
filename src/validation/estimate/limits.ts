import { size } from 'viem'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { GasLimits } from '../../types/gas.ts'
import type { Phase } from '../../types/phase.ts'
import { paymasterOf, type UserOperation } from '../../types/userop.ts'

/** Gas that each phase took its caller when it could have all it wanted; 0n for a phase that there is not. */
export type Measured = Readonly<Record<Phase, bigint>>

/**
 * Per cent on top of what was measured: the state of the block that includes the operation is another, and the real
 * signature may be dearer than the dummy. Too little shows as AA23, AA26 or failed calls of estimated operations.
 */
const margin = 10n

/** EIP-150: of the gas at hand a call may take 63/64, so what it needs must be there 64/63 times. */
const forwarded = (gas: bigint): bigint => (gas * 64n) / 63n + 1n

const padded = (gas: bigint): bigint => (forwarded(gas) * (100n + margin)) / 100n

/**
 * Gas that an EntryPoint takes itself inside verificationGasLimit: a first nonce of a key (22,100), the deposit,
 * hashing and copying the operation. It also carries what the EntryPoint charges for execution beyond callGasLimit:
 * events and the refund. Measured with SimpleAccount at 46,000–55,000, lowest for 0.8.
 */
const accountOverhead: Readonly<Record<EntryPointVersion, bigint>> = {
  '0.6': 60_000n,
  '0.7': 60_000n,
  '0.8': 60_000n,
}

/** gas for a byte of the operation: it is copied to memory and hashed, about 20 gas a word each time */
const perByte = 3n

/** Gas that an EntryPoint takes itself inside paymasterVerificationGasLimit: the deposit (a cold slot) and the call. */
const paymasterOverhead = 12_000n

/** Gas of the call itself, in a postOp or an execution that costs nearly nothing. */
const callOverhead = 1_000n

/** What a phase that takes no gas may be given all the same: an account without callData. */
const nothing = 0n

type Formula = (gas: Measured, own: { account: bigint; paymaster: bigint }) => GasLimits

const callGasLimitOf = ({ execute }: Measured): bigint =>
  execute === 0n ? nothing : padded(execute) + callOverhead

/** From 0.7 on each phase has a limit of its own, except that creation and validation share one. */
const separate: Formula = (gas, own) => ({
  verificationGasLimit: padded(gas.create + gas.validate) + own.account,
  callGasLimit: callGasLimitOf(gas),
  paymasterVerificationGasLimit: gas.paymaster === 0n ? 0n : padded(gas.paymaster) + own.paymaster,
  paymasterPostOpGasLimit: gas.postOp === 0n ? 0n : padded(gas.postOp) + callOverhead,
})

/** In 0.6 one limit covers creation, both validations and, given anew, postOp. */
const shared: Formula = (gas, own) => {
  const validation = padded(gas.create + gas.validate + gas.paymaster) + own.account + own.paymaster
  const postOp = padded(gas.postOp) + callOverhead
  return {
    verificationGasLimit: validation > postOp ? validation : postOp,
    callGasLimit: callGasLimitOf(gas),
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
  }
}

const formulas: Readonly<Record<EntryPointVersion, Formula>> = {
  '0.6': shared,
  '0.7': separate,
  '0.8': separate,
}

/** Limits for what was measured; still to be checked with exactly them. */
export function limitsFor(op: UserOperation, gas: Measured): GasLimits {
  const bytes = [op.factoryData, op.callData, op.paymasterData, op.signature].map(size)
  const copied = BigInt(bytes.reduce((sum, next) => sum + next, 0)) * perByte
  return formulas[op.version](gas, {
    account: accountOverhead[op.version] + copied,
    paymaster: paymasterOf(op) === undefined ? 0n : paymasterOverhead + copied,
  })
}

/** The limits that execution and postOp really get. */
export function executionLimits(
  version: EntryPointVersion,
  limits: GasLimits,
): { execute: bigint; postOp: bigint } {
  return {
    execute: limits.callGasLimit,
    postOp: version === '0.6' ? limits.verificationGasLimit : limits.paymasterPostOpGasLimit,
  }
}

/** One step up for a limit that proved too low, in per cent: eight steps are six times as much. */
const step = 125n

/** In 0.6 the paymaster's limits are the account's. */
export function grown(version: EntryPointVersion, limits: GasLimits, field: keyof GasLimits): GasLimits {
  const target = version === '0.6' && field !== 'callGasLimit' ? 'verificationGasLimit' : field
  return { ...limits, [target]: (limits[target] * step) / 100n + 1n }
}
