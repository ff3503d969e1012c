import { expect, test } from 'bun:test'
import type { Address } from 'viem'
import { InvalidParams } from '../../../src/base/errors.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { type PrecheckFacts, type PrecheckSettings, precheck } from '../../../src/validation/precheck.ts'

const sender: Address = '0x00000000000000000000000000000000DeaDBeef'

const settings: PrecheckSettings = {
  validationGasLimit: 5_000_000n,
  transactionGasCap: 16_777_216n,
  maxUserOperationSize: 8192,
  minPriorityFee: 0n,
  enforceGasPrice: false,
  enforceGasPriceThreshold: 1000n,
}
const facts: PrecheckFacts = {
  quote: { baseFee: 100n, maxFeePerGas: 250n, maxPriorityFeePerGas: 20n, legacy: false },
  preVerificationGas: 50_000n,
  gasAlone: 400_000n,
}

function userOp(changes: Partial<UserOperation> = {}): UserOperation {
  return {
    version: '0.7',
    sender,
    nonce: 0n,
    factory: undefined,
    factoryData: '0x',
    callData: '0x1234',
    callGasLimit: 100_000n,
    verificationGasLimit: 100_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: 200n,
    maxPriorityFeePerGas: 10n,
    paymaster: undefined,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: '0x',
    signature: `0x${'11'.repeat(65)}`,
    eip7702Auth: undefined,
    ...changes,
  }
}

/** The refusal as callers see it, `undefined` when there is none. */
function refusal(
  op: UserOperation,
  changes: { settings?: Partial<PrecheckSettings>; facts?: Partial<PrecheckFacts> } = {},
) {
  try {
    precheck(op, { ...settings, ...changes.settings }, { ...facts, ...changes.facts })
    return undefined
  } catch (error) {
    if (!(error instanceof InvalidParams)) throw error
    return { code: error.code, message: error.message, data: error.data }
  }
}

test('a sound operation passes', () => {
  expect(refusal(userOp())).toBeUndefined()
})

test('LIM-070: preVerificationGas names what would do', () => {
  expect(refusal(userOp({ preVerificationGas: 49_999n }))).toEqual({
    code: -32602,
    message: 'preVerificationGas must be at least 50000',
    data: { path: 'params[0].preVerificationGas', atLeast: '0xc350' },
  })
})

test('a priority fee above the fee', () => {
  expect(refusal(userOp({ maxPriorityFeePerGas: 201n }))).toEqual({
    code: -32602,
    message: 'maxPriorityFeePerGas must be at most 200',
    data: { path: 'params[0].maxPriorityFeePerGas', atMost: '0xc8' },
  })
})

test('a fee below the base fee', () => {
  expect(refusal(userOp({ maxFeePerGas: 99n }))).toEqual({
    code: -32602,
    message: 'maxFeePerGas must be at least 100',
    data: { path: 'params[0].maxFeePerGas', atLeast: '0x64' },
  })
})

test("a priority fee below the chain's floor", () => {
  expect(refusal(userOp(), { settings: { minPriorityFee: 11n } })).toEqual({
    code: -32602,
    message: 'maxPriorityFeePerGas must be at least 11',
    data: { path: 'params[0].maxPriorityFeePerGas', atLeast: '0xb' },
  })
})

test('enforced prices hold less the threshold', () => {
  const enforced = { settings: { enforceGasPrice: true } }
  expect(refusal(userOp({ maxFeePerGas: 225n, maxPriorityFeePerGas: 18n }), enforced)).toBeUndefined()
  expect(refusal(userOp({ maxFeePerGas: 224n, maxPriorityFeePerGas: 18n }), enforced)).toMatchObject({
    data: { path: 'params[0].maxFeePerGas', atLeast: '0xe1' },
  })
  expect(refusal(userOp({ maxFeePerGas: 225n, maxPriorityFeePerGas: 17n }), enforced)).toMatchObject({
    data: { path: 'params[0].maxPriorityFeePerGas', atLeast: '0x12' },
  })
})

test('verification gas counts with the paymaster', () => {
  expect(refusal(userOp({ verificationGasLimit: 5_000_001n }))).toMatchObject({
    message: 'verificationGasLimit must be at most 5000000',
  })
  const paid = { paymaster: sender, paymasterVerificationGasLimit: 2_000_000n }
  expect(refusal(userOp({ ...paid, verificationGasLimit: 3_000_001n }))).toEqual({
    code: -32602,
    message: 'verificationGasLimit must be at most 3000000',
    data: { path: 'params[0].verificationGasLimit', atMost: '0x2dc6c0' },
  })
})

test('an operation that fits into no transaction names the call gas that would', () => {
  expect(refusal(userOp({ callGasLimit: 17_000_000n }), { facts: { gasAlone: 17_777_216n } })).toEqual({
    code: -32602,
    message: 'the operation needs a transaction of 17777216 gas, at most 16777216 are possible',
    data: { path: 'params[0].callGasLimit', atMost: '0xf42400' },
  })
})

test('callData needs gas to be called with', () => {
  expect(refusal(userOp({ callGasLimit: 8_999n }))).toMatchObject({
    message: 'callGasLimit must be at least 9000',
  })
  expect(refusal(userOp({ callGasLimit: 0n, callData: '0x' }))).toBeUndefined()
})

test('LIM-010: the packed size is bounded', () => {
  expect(refusal(userOp({ callData: `0x${'00'.repeat(8000)}` }))).toEqual({
    code: -32602,
    message: 'the operation has 8544 bytes, at most 8192 are taken',
    data: { path: 'params[0]', atMost: '0x2000' },
  })
})
