import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { bytesToHex, concatHex, type Hex, hexToBytes } from 'viem'
import { readOpStackPrices } from '../../../../src/chain/data-fee/op-stack.ts'
import { flzLength } from '../../../../src/gas/data-fee/flz-length.ts'
import { opStackDataFee, opStackOperatorFee } from '../../../../src/gas/data-fee/op-stack.ts'
import { encodeHandleOps } from '../../../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../../../src/types/entrypoint-version.ts'
import type { OpStackPrices } from '../../../../src/types/ports/data-fee.ts'
import { type DevChain, startDevChain } from '../../../support/devChain.ts'
import { deployFjord, l1FeeOnChain, setL1Values } from '../../../support/opStack.ts'
import { random, randomOperation } from '../../../support/random.ts'
import { latestBlock, nodeOf } from '../../../support/simulation.ts'

/** What the contract adds to the length of a transaction that is not signed yet. */
const signatureLength = 68

const prices: OpStackPrices = {
  kind: 'op-stack',
  ...{ l1BaseFee: 20n, blobBaseFee: 15n, baseFeeScalar: 2_000_000n, blobBaseFeeScalar: 3_000_000n },
  ...{ operatorFeePerMillionGas: 0n, operatorFeeConstant: 0n },
}

test("the fee is that of the client's own test against Solidity", () => {
  expect(opStackDataFee(235, prices)).toBe(105_484n)
})

test.each([0, 100, 150, 170])('a transaction of length %d counts as a hundred bytes', (length) => {
  expect(opStackDataFee(length, prices)).toBe(opStackDataFee(1, prices))
  expect(opStackDataFee(length, prices)).toBeLessThan(opStackDataFee(171, prices))
})

test('the operator takes its fee by the million gas', () => {
  expect(opStackOperatorFee(2_500_000n, { ...prices, operatorFeePerMillionGas: 4_000n })).toBe(10_000n)
})

describe("against the chains' own contracts", () => {
  let chain: DevChain
  beforeAll(async () => {
    chain = await startDevChain({ extraArguments: ['--gas-limit', '1000000000'] })
    await deployFjord(chain)
  })
  afterAll(() => chain.stop())

  const source = random(11)
  /** Repetitions near and far, runs, and noise. */
  const repetitive = (): Hex => {
    const words = Array.from({ length: 6 }, () => source.bytes(1 + source.int(400)))
    return concatHex(Array.from({ length: 60 }, () => words[source.int(words.length)] ?? '0x'))
  }
  const kinds: Record<string, () => Hex> = {
    noise: () => source.bytes(source.int(3000)),
    'a run': () => bytesToHex(new Uint8Array(source.int(3000)).fill(source.int(3))),
    'few different bytes': () =>
      bytesToHex(Uint8Array.from({ length: source.int(2000) }, () => source.int(3))),
    'far repetitions': repetitive,
    bundles: () => {
      const version = entryPointVersions[source.int(entryPointVersions.length)] ?? '0.7'
      const ops = Array.from({ length: source.int(6) }, () => randomOperation(source, version))
      return encodeHandleOps(version, ops, source.address())
    },
  }

  test.each(Object.keys(kinds))('the fee of %s is equal', async (kind) => {
    await setL1Values(chain, {
      ...{
        l1BaseFee: 7_123_456_789n,
        blobBaseFee: 987_654_321n,
        baseFeeScalar: 5227,
        blobBaseFeeScalar: 1_014_213,
      },
    })
    const read = await readOpStackPrices(await latestBlock(chain), nodeOf(chain))
    if (read === undefined) throw new Error('no prices')
    const transactions = Array.from({ length: 40 }, () => kinds[kind]?.() ?? '0x')
    const onChain = await Promise.all(transactions.map((transaction) => l1FeeOnChain(chain, transaction)))
    expect(
      transactions.map((transaction) =>
        opStackDataFee(flzLength(hexToBytes(transaction)) + signatureLength, read),
      ),
    ).toEqual(onChain)
  })

  test('a chain before Isthmus has no operator fee', async () => {
    await setL1Values(chain, { l1BaseFee: 1n, blobBaseFee: 2n, baseFeeScalar: 3, blobBaseFeeScalar: 4 })
    expect(await readOpStackPrices(await latestBlock(chain), nodeOf(chain))).toEqual({
      kind: 'op-stack',
      ...{ l1BaseFee: 1n, blobBaseFee: 2n, baseFeeScalar: 3n, blobBaseFeeScalar: 4n },
      ...{ operatorFeePerMillionGas: 0n, operatorFeeConstant: 0n },
    })
  })
})
