import { describe, expect, test } from 'bun:test'
import { encodeErrorResult, type Hex, parseAbi, RpcRequestError } from 'viem'
import { getBundlerError } from 'viem/account-abstraction'
import { type TandemError, toWire } from '../../../src/base/errors.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { aaCodes } from '../../../src/validation/aa-codes.ts'
import { requireAuthorized, requireInTime } from '../../../src/validation/acceptance.ts'
import {
  executionRevert,
  failedOpIn,
  rejectionOf,
  rejectionOfRevert,
} from '../../../src/validation/rejection.ts'
import { alwaysValid } from '../../../src/validation/validation-data.ts'

const op: UserOperation = {
  version: '0.7',
  sender: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  nonce: 0n,
  factory: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  factoryData: '0x',
  callData: '0x',
  callGasLimit: 0n,
  verificationGasLimit: 0n,
  preVerificationGas: 0n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  paymaster: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  paymasterVerificationGasLimit: 0n,
  paymasterPostOpGasLimit: 0n,
  paymasterData: '0x',
  signature: '0x',
  eip7702Auth: undefined,
}

const said = (reason: string, inner?: Hex): TandemError => rejectionOf(op, { reason, inner, raw: '0x1234' })

/** What a wallet that uses viem gets to see. */
function inViem(error: TandemError): { name: string } {
  const wire = toWire(error)
  const rpcError = new RpcRequestError({ body: {}, url: 'http://localhost', error: wire })
  return getBundlerError(rpcError, {})
}

function thrown(action: () => void): TandemError {
  try {
    action()
  } catch (error) {
    return error as TandemError
  }
  throw new Error('nothing was thrown')
}

describe('viem sees its own class for', () => {
  test.each([
    ['AA10 sender already constructed', 'SenderAlreadyConstructedError'],
    ['AA13 initCode failed or OOG', 'InitCodeFailedError'],
    ['AA14 initCode must return sender', 'InitCodeMustReturnSenderError'],
    ['AA15 initCode must create sender', 'InitCodeMustCreateSenderError'],
    ['AA20 account not deployed', 'AccountNotDeployedError'],
    ["AA21 didn't pay prefund", 'InsufficientPrefundError'],
    ['AA22 expired or not due', 'UserOperationExpiredError'],
    ['AA23 reverted', 'SmartAccountFunctionRevertedError'],
    ['AA24 signature error', 'UserOperationSignatureError'],
    ['AA25 invalid account nonce', 'InvalidAccountNonceError'],
    ['AA26 over verificationGasLimit', 'UserOperationRejectedByEntryPointError'],
    ['AA30 paymaster not deployed', 'PaymasterNotDeployedError'],
    ['AA31 paymaster deposit too low', 'PaymasterDepositTooLowError'],
    ['AA32 paymaster expired or not due', 'UserOperationPaymasterExpiredError'],
    ['AA33 reverted', 'PaymasterFunctionRevertedError'],
    ['AA34 signature error', 'UserOperationPaymasterSignatureError'],
    ['AA36 over paymasterVerificationGasLimit', 'UserOperationRejectedByPaymasterError'],
    ['AA40 over verificationGasLimit', 'VerificationGasLimitExceededError'],
    ['AA41 too little verificationGas', 'VerificationGasLimitTooLowError'],
    ['AA50 postOp reverted: no', 'PaymasterPostOpFunctionRevertedError'],
    ['AA51 prefund below actualGasCost', 'UserOperationRejectedByEntryPointError'],
    ['AA90 invalid beneficiary', 'InvalidBeneficiaryError'],
    ['AA91 failed send to beneficiary', 'FailedToSendToBeneficiaryError'],
    ['AA92 internal call only', 'InternalCallOnlyError'],
    ['AA93 invalid paymasterAndData', 'InvalidPaymasterAndDataError'],
    ['AA94 gas values overflow', 'GasValuesOverflowError'],
    ['AA95 out of gas', 'HandleOpsOutOfGasError'],
    ['AA96 invalid aggregator', 'InvalidAggregatorError'],
    ['AA97 should call from EntryPoint', 'UserOperationRejectedByEntryPointError'],
  ])('%s', (reason, name) => {
    expect(inViem(said(reason)).name).toBe(name)
  })

  test('a call that reverts, with the data to decode it', () => {
    const error = executionRevert(op, '0xa5c73e5a')
    expect(inViem(error)).toMatchObject({
      name: 'ExecutionRevertedError',
      data: { revertData: '0xa5c73e5a' },
    })
  })

  test('an aggregator', () => {
    const data = { ...alwaysValid, authorizer: { aggregator: op.sender } }
    expect(inViem(thrown(() => requireAuthorized(op, 'account', data))).name).toBe(
      'UnsupportedSignatureAggregatorError',
    )
  })
})

test('every code of the EntryPoints has a row', () => {
  const rows = Object.fromEntries(
    [...aaCodes].map(([code, { rpcCode, entity }]) => [code, [rpcCode, entity]]),
  )
  expect(rows).toMatchObject({
    AA10: [-32500, 'factory'],
    AA21: [-32500, 'account'],
    AA22: [-32503, 'account'],
    AA24: [-32507, 'account'],
    AA30: [-32501, 'paymaster'],
    AA31: [-32508, 'paymaster'],
    AA32: [-32503, 'paymaster'],
    AA33: [-32501, 'paymaster'],
    AA34: [-32507, 'paymaster'],
    AA36: [-32501, 'paymaster'],
  })
})

const abi = parseAbi([
  'error FailedOp(uint256 opIndex, string reason)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
  'error Error(string reason)',
])

test('FailedOpWithRevert: code, culprit, inner reason and raw bytes', () => {
  const inner = encodeErrorResult({ abi, errorName: 'Error', args: ['token balance too low'] })
  const raw = encodeErrorResult({
    abi,
    errorName: 'FailedOpWithRevert',
    args: [3n, 'AA33 reverted', inner],
  })
  expect(failedOpIn(raw)).toEqual({ index: 3, reason: 'AA33 reverted', inner, raw })
  expect(toWire(rejectionOfRevert(op, raw))).toEqual({
    code: -32501,
    message: 'AA33 reverted: token balance too low',
    data: {
      aaCode: 'AA33',
      entity: 'paymaster',
      address: op.paymaster,
      paymaster: op.paymaster,
      revertData: inner,
      revert: { raw: inner, name: 'Error', args: ['token balance too low'] },
      hint: 'validatePaymasterUserOp reverted or ran out of its verification gas',
    },
  })
})

test('an AA code in a plain Error(string), as 0.6 says some of them', () => {
  const raw = encodeErrorResult({ abi, errorName: 'Error', args: ['AA94 gas values overflow'] })
  expect(toWire(rejectionOfRevert(op, raw))).toMatchObject({
    code: -32500,
    message: 'AA94 gas values overflow',
    data: { aaCode: 'AA94', entity: 'account' },
  })
})

test('a revert that nobody can read is -32500 with its bytes', () => {
  expect(toWire(rejectionOfRevert(op, '0xdeadbeef01'))).toEqual({
    code: -32500,
    message: 'reverted with 0xdeadbeef… (5 bytes)',
    data: { entity: 'account', address: op.sender, revertData: '0xdeadbeef01' },
  })
})

describe('time ranges at 1000 s', () => {
  const range = (validAfter?: number, validUntil?: number) => ({ validAfter, validUntil })
  const check = (validator: 'account' | 'paymaster', validAfter?: number, validUntil?: number) =>
    requireInTime(op, validator, range(validAfter, validUntil), 1000)

  test.each([
    [undefined, undefined],
    [1000, undefined],
    [undefined, 1030],
  ])('%p to %p is accepted', (validAfter, validUntil) => {
    expect(() => check('account', validAfter, validUntil)).not.toThrow()
  })

  test.each([
    [1001, undefined, 'AA22 expired or not due'],
    [undefined, 999, 'AA22 expired or not due'],
    [undefined, 1029, 'AA22 expires too soon'],
  ])('%p to %p is not: %s', (validAfter, validUntil, message) => {
    const error = thrown(() => check('account', validAfter, validUntil))
    expect(toWire(error)).toEqual({
      code: -32503,
      message,
      data: {
        aaCode: 'AA22',
        entity: 'account',
        address: op.sender,
        validAfter: validAfter ?? null,
        validUntil: validUntil ?? null,
        hint: 'sign again with a time range that covers the next minutes',
      },
    })
  })

  test("a paymaster's range names the paymaster", () => {
    expect(toWire(thrown(() => check('paymaster', undefined, 999)))).toMatchObject({
      code: -32503,
      message: 'AA32 paymaster expired or not due',
      data: { entity: 'paymaster', paymaster: op.paymaster, validUntil: 999 },
    })
  })
})
