import { numberToHex, size, zeroAddress } from 'viem'
import { InvalidParams } from '../base/errors.ts'
import type { FeeQuote } from '../types/block.ts'
import { encodeHandleOps } from '../types/entrypoint.ts'
import type { UserOperation } from '../types/userop.ts'

/** What a chain and its operator ask of every operation. */
export type PrecheckSettings = {
  /** most verification gas, the paymaster's included */
  validationGasLimit: bigint
  /** gas of a transaction (EIP-7825, or the operator's own) */
  transactionGasCap: bigint
  /** bytes of a packed operation (ERC-7562 LIM-010, MAX_USEROP_SIZE) */
  maxUserOperationSize: number
  /** wei; the chain's floor */
  minPriorityFee: bigint
  /** Refuse what is below the recommended fees less `enforceGasPriceThreshold` basis points. */
  enforceGasPrice: boolean
  enforceGasPriceThreshold: bigint
}

/** What holds for this operation now. */
export type PrecheckFacts = {
  /** The recommended fees, with the base fee of the newest block. */
  quote: FeeQuote
  /** gas that must be paid for beside what is metered (gas/preverification.ts) */
  preVerificationGas: bigint
  /** gas of a transaction with this operation alone (gas/bundle-gas.ts) */
  gasAlone: bigint
}

/** gas of a call that moves value: less cannot execute anything (ERC-4337, "client behavior upon receiving") */
export const leastCallGas = 9_000n

const basisPoints = 10_000n

/**
 * All that can be refused before simulation, and costs no question to a node.
 * @throws InvalidParams with the path of the field and, as `atLeast` or `atMost`, the value that would do
 */
export function precheck(op: UserOperation, settings: PrecheckSettings, facts: PrecheckFacts): void {
  checkSize(op, settings)
  checkGas(op, settings, facts)
  checkFees(op, settings, facts)
}

type Priced = Pick<
  UserOperation,
  | 'callGasLimit'
  | 'verificationGasLimit'
  | 'preVerificationGas'
  | 'maxFeePerGas'
  | 'maxPriorityFeePerGas'
  | 'paymasterVerificationGasLimit'
  | 'paymasterPostOpGasLimit'
>
type Field = keyof Priced

function checkSize(op: UserOperation, { maxUserOperationSize }: PrecheckSettings): void {
  const bytes =
    size(encodeHandleOps(op.version, [op], zeroAddress)) - size(encodeHandleOps(op.version, [], zeroAddress))
  if (bytes <= maxUserOperationSize) return
  throw new InvalidParams(`the operation has ${bytes} bytes, at most ${maxUserOperationSize} are taken`, {
    path: 'params[0]',
    atMost: numberToHex(maxUserOperationSize),
  })
}

function checkGas(op: UserOperation, settings: PrecheckSettings, facts: PrecheckFacts): void {
  checkCaps(op, settings, facts)
  if (op.callData !== '0x') requireAtLeast('callGasLimit', op.callGasLimit, leastCallGas)
  requireAtLeast('preVerificationGas', op.preVerificationGas, facts.preVerificationGas)
}

/** The most that an operation may ask for, which holds for an estimate too. @throws InvalidParams as `precheck` */
export function checkCaps(
  op: UserOperation,
  { validationGasLimit, transactionGasCap }: PrecheckSettings,
  facts: Pick<PrecheckFacts, 'gasAlone'>,
): void {
  requireAtMost('paymasterVerificationGasLimit', op.paymasterVerificationGasLimit, validationGasLimit)
  const left = validationGasLimit - op.paymasterVerificationGasLimit
  requireAtMost('verificationGasLimit', op.verificationGasLimit, left)
  const excess = facts.gasAlone - transactionGasCap
  if (excess > 0n) {
    throw new InvalidParams(
      `the operation needs a transaction of ${facts.gasAlone} gas, at most ${transactionGasCap} are possible`,
      {
        path: 'params[0].callGasLimit',
        atMost: numberToHex(op.callGasLimit > excess ? op.callGasLimit - excess : 0n),
      },
    )
  }
}

function checkFees(op: UserOperation, settings: PrecheckSettings, { quote }: PrecheckFacts): void {
  requireAtMost('maxPriorityFeePerGas', op.maxPriorityFeePerGas, op.maxFeePerGas)
  const kept = settings.enforceGasPrice ? basisPoints - settings.enforceGasPriceThreshold : 0n
  const part = (fee: bigint): bigint => (fee * kept) / basisPoints
  requireAtLeast('maxFeePerGas', op.maxFeePerGas, larger(quote.baseFee, part(quote.maxFeePerGas)))
  requireAtLeast(
    'maxPriorityFeePerGas',
    op.maxPriorityFeePerGas,
    larger(settings.minPriorityFee, part(quote.maxPriorityFeePerGas)),
  )
}

function requireAtLeast(field: Field, value: bigint, atLeast: bigint): void {
  if (value >= atLeast) return
  throw new InvalidParams(`${field} must be at least ${atLeast}`, {
    path: `params[0].${field}`,
    atLeast: numberToHex(atLeast),
  })
}

function requireAtMost(field: Field, value: bigint, atMost: bigint): void {
  if (value <= atMost) return
  throw new InvalidParams(`${field} must be at most ${atMost}`, {
    path: `params[0].${field}`,
    atMost: numberToHex(atMost),
  })
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
