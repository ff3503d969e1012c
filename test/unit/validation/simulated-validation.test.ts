import { describe, expect, test } from 'bun:test'
import simulations from 'entrypoint-0.7/artifacts/EntryPointSimulations.json'
import { encodeFunctionResult, type Hex, numberToHex, slice } from 'viem'
import { decodeValidationResult } from '../../../src/validation/simulated-validation.ts'

const stake = (amount: bigint, delay: bigint) => ({ stake: amount, unstakeDelaySec: delay })

/** As Solidity encodes it. */
const encoded: Hex = encodeFunctionResult({
  abi: simulations.abi,
  functionName: 'simulateValidation',
  result: {
    returnInfo: {
      preOpGas: 70_001n,
      prefund: 2n ** 255n + 5n,
      accountValidationData: (7n << 208n) | (9n << 160n),
      paymasterValidationData: 1n,
      paymasterContext: '0x010203',
    },
    senderInfo: stake(1n, 2n),
    factoryInfo: stake(3n, 4n),
    paymasterInfo: stake(2n ** 112n - 1n, 86_400n),
    aggregatorInfo: { aggregator: numberToHex(5n, { size: 20 }), stakeInfo: stake(6n, 7n) },
  },
})

describe('what simulateValidation returned', () => {
  test('is read as the ABI has it', () => {
    expect(decodeValidationResult(encoded)).toEqual({
      preOpGas: 70_001n,
      prefund: 2n ** 255n + 5n,
      account: { authorizer: 'valid', validAfter: 7, validUntil: 9 },
      paymaster: { authorizer: 'signature-failed', validAfter: undefined, validUntil: undefined },
      sender: { stake: 1n, unstakeDelaySec: 2 },
      factory: { stake: 3n, unstakeDelaySec: 4 },
      paymasterStake: { stake: 2n ** 112n - 1n, unstakeDelaySec: 86_400 },
    })
  })

  test('is nothing where words are missing', () => {
    for (const data of ['0x', slice(encoded, 0, 32), slice(encoded, 0, 32 * 12)] as const)
      expect(() => decodeValidationResult(data)).toThrow(RangeError)
  })

  test('is nothing where a pointer leads nowhere', () => {
    const data: Hex = `0x${'ff'.repeat(32)}${encoded.slice(66)}`
    expect(() => decodeValidationResult(data)).toThrow(RangeError)
  })
})
