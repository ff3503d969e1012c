import { type Hex, size, zeroAddress } from 'viem'
import { encodeHandleOps } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { UserOperation } from '../types/userop.ts'
import {
  authorizationGas,
  type CalldataBytes,
  calldataFloor,
  calldataGas,
  countBytes,
  transactionBase,
} from './calldata.ts'
import { withStandIns } from './stand-ins.ts'

export type PreVerificationSettings = {
  /** The chain has the calldata floor price of EIP-7623. */
  eip7623: boolean
  /** gas added for the operator */
  pvgMarkup: bigint
  /**
   * Operations that share what a bundle costs once. 1: no bundle costs more than its operations pay, however few they
   * are; a caller pays up to `transactionBase` too much in a full one. Busy operators raise it.
   */
  expectedBundleSize: number
}

/**
 * Gas that handleOps takes outside of what it charges to operations, with calldata apart: once a bundle, once an
 * operation. Measured with bundles of 1, 2 and 10 on anvil (0.6: 10,932 + 8,172 n; 0.7: 11,009 + 7,785 n; 0.8: 9,161 +
 * 7,535 n), and rounded up by 3,000 for a beneficiary that is not the relayer and by 400 for the memory of large
 * bundles. A new compiler of the EntryPoint, that is a new version, needs new numbers.
 */
const unmetered: Readonly<Record<EntryPointVersion, { bundle: bigint; operation: bigint }>> = {
  '0.6': { bundle: 14_000n, operation: 8_600n },
  '0.7': { bundle: 14_000n, operation: 8_200n },
  '0.8': { bundle: 12_200n, operation: 7_950n },
}

/** Bytes of callData that handleOps copies for one gas beyond what it charges (0.6: 1,214 gas for 4,132 bytes). */
const bytesCopiedPerGas = 3n

/** gas that an EntryPoint charges even to an operation that does nothing: what the calldata floor surely contains */
const leastMetered = 25_000n

/** Non-zero bytes that an offset in a large bundle has more than in a bundle of one; 12 gas each. */
const offsetGas = 24n

/**
 * The operation's share of its bundle transaction that the EntryPoint does not measure (ERC-7562 LIM-070): calldata and
 * overheads.
 * It does not depend on the values that a wallet may still change after its estimate (signature, gas and fees of the
 * same magnitude), so what was estimated is what is asked for when it is sent.
 */
export function preVerificationGas(op: UserOperation, settings: PreVerificationSettings): bigint {
  const bytes = calldataShare(op)
  const { bundle, operation } = unmetered[op.version]
  const execution = operation + BigInt(size(op.callData)) / bytesCopiedPerGas
  const measured = calldataGas(bytes) + offsetGas + execution
  const floor = calldataFloor(bytes, settings) - leastMetered
  const once = transactionBase + bundle + fixedCalldataGas
  const authorization = op.eip7702Auth === undefined ? 0n : authorizationGas
  return (
    (measured > floor ? measured : floor) +
    divideUp(once, BigInt(settings.expectedBundleSize)) +
    authorization +
    settings.pvgMarkup
  )
}

/**
 * gas of handleOps' calldata around the operations: selector (64), offset (140), a beneficiary without zero bytes
 * (368) and a length below 65,536 (152)
 */
const fixedCalldataGas = 724n

/** Bytes that one more operation adds to the calldata of a bundle. */
function calldataShare(op: UserOperation): CalldataBytes {
  const one = countBytes(packedBytes(op))
  const none = countBytes(encodeHandleOps(op.version, [], zeroAddress))
  return { zero: one.zero - none.zero, nonZero: one.nonZero - none.nonZero }
}

/** The bundle of this operation alone, every value at the dearest of its length. */
function packedBytes(op: UserOperation): Hex {
  return encodeHandleOps(op.version, [dearest(op)], zeroAddress)
}

function dearest(op: UserOperation): UserOperation {
  return withStandIns(op, (bytes) => `0x${'ff'.repeat(bytes)}`)
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}
