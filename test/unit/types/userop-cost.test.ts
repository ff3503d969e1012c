import { expect, test } from 'bun:test'
import { type Hex, maxUint256, numberToHex, serializeTransaction, size, zeroAddress } from 'viem'
import { encodeHandleOps } from '../../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import {
  effectivePriorityFee,
  operationBytes,
  operationGas,
  requiredPrefund,
} from '../../../src/types/userop-cost.ts'
import { address, userOp } from '../../support/builders.ts'
import { random, randomOperation } from '../../support/random.ts'

const gas = {
  callGasLimit: 1n,
  verificationGasLimit: 10n,
  preVerificationGas: 100n,
  paymasterVerificationGasLimit: 1000n,
  paymasterPostOpGasLimit: 10_000n,
}
const limits06 = { ...gas, paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n }

test('the gas of an operation is the sum of its limits', () => {
  expect(operationGas(userOp({ ...gas, paymaster: address(7) }))).toBe(11_111n)
})

test('in 0.6 verification counts three times with a paymaster that pays', () => {
  const gasWith = (paymaster: `0x${string}` | undefined) =>
    operationGas(userOp({ ...limits06, version: '0.6', paymaster }))
  expect([gasWith(undefined), gasWith(zeroAddress), gasWith(address(7))]).toEqual([111n, 111n, 131n])
})

test('the prefund is gas at the maximum fee', () => {
  expect(requiredPrefund(userOp({ ...gas, maxFeePerGas: 3n }))).toBe(33_333n)
})

test('a bundler earns the priority fee, or what the maximum leaves of it', () => {
  const op = userOp({ maxFeePerGas: 100n, maxPriorityFeePerGas: 30n })
  expect([0n, 70n, 71n, 100n, 101n].map((baseFee) => effectivePriorityFee(op, baseFee))).toEqual([
    30n,
    30n,
    29n,
    0n,
    -1n,
  ])
})

test.each(entryPointVersions)('operations of %s need no more bytes of calldata than told', (version) => {
  const source = random(11)
  const empty = size(encodeHandleOps(version, [], zeroAddress))
  for (let round = 0; round < 200; round++) {
    const op = randomOperation(source, version)
    const needed = size(encodeHandleOps(version, [op], zeroAddress)) - empty
    expect(operationBytes(op)).toBeGreaterThanOrEqual(needed)
    expect(operationBytes(op)).toBeLessThanOrEqual(needed + 128)
  }
})

test('an EIP-7702 authorization counts with what it takes of the transaction', () => {
  const word: Hex = numberToHex(maxUint256)
  const largest = { chainId: 2 ** 53 - 1, nonce: 2 ** 53 - 1, r: word, s: word, yParity: 1 }
  const eip7702Auth = { ...largest, address: address(7) }
  const counted = operationBytes(userOp({ eip7702Auth })) - operationBytes(userOp())
  const many = Array.from({ length: 100 }, () => eip7702Auth)
  const bytes = (authorizationList: typeof many) =>
    size(serializeTransaction({ type: 'eip7702', chainId: 1, authorizationList }))
  expect((bytes(many) - bytes([])) / many.length).toBeLessThanOrEqual(counted)
})
