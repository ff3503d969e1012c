import { describe, expect, test } from 'bun:test'
import { bls12_381 as noble } from '@noble/curves/bls12-381.js'
import { bytesOfInteger, bytesOfWord } from '../../../../src/evm/crypto/bytes.ts'
import { loadCrypto } from '../../../../src/evm/crypto/crypto.ts'
import { g1Add, g1Msm, g2Add, g2Msm } from '../../../../src/evm/precompiles/bls12-381.ts'

const crypto = await loadCrypto()
const G1 = noble.G1.Point
const G2 = noble.G2.Point
const order = noble.fields.Fr.ORDER

const bytes = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))
const coordinates = (...values: bigint[]) => bytes(...values.map((value) => bytesOfInteger(value, 64)))

function encode1(point: typeof G1.BASE): Uint8Array {
  if (point.is0()) return new Uint8Array(128)
  const { x, y } = point.toAffine()
  return coordinates(x, y)
}

function encode2(point: typeof G2.BASE): Uint8Array {
  if (point.is0()) return new Uint8Array(256)
  const { x, y } = point.toAffine()
  return coordinates(x.c0, x.c1, y.c0, y.c1)
}

const multiple1 = (scalar: bigint) => (scalar === 0n ? G1.ZERO : G1.BASE.multiply(scalar))
const multiple2 = (scalar: bigint) => (scalar === 0n ? G2.ZERO : G2.BASE.multiply(scalar))

/** Where additions and doublings have their exceptions, and one that has none. */
const scalars = [0n, 1n, 2n, order - 1n, order - 2n, 0x1234_5678_9abc_def0n]

describe('BLS12-381', () => {
  test('adds as another library does', () => {
    const [add1, add2] = [g1Add(crypto), g2Add(crypto)]
    for (const left of scalars) {
      for (const right of scalars) {
        const sum = (left + right) % order
        const input1 = bytes(encode1(multiple1(left)), encode1(multiple1(right)))
        const input2 = bytes(encode2(multiple2(left)), encode2(multiple2(right)))
        expect(add1.run(input1)).toEqual(encode1(multiple1(sum)))
        expect(add2.run(input2)).toEqual(encode2(multiple2(sum)))
      }
    }
  })

  // 130 are more than are added up at a time; equal, opposite and infinite points are among them, and any scalars.
  for (const count of [1, 2, 3, 20, 130]) {
    test(`sums ${count} products as another library does`, () => {
      const pairs = Array.from({ length: count }, (_, index) => ({
        times: scalars[index % scalars.length] ?? 0n,
        scalar: [1n, order - 1n, 0n, order + 2n, 2n ** 256n - 1n, 77n][(index * 5) % 6] ?? 0n,
      }))
      const sum = pairs.reduce((total, { times, scalar }) => (total + times * scalar) % order, 0n)
      const input1 = pairs.map(({ times, scalar }) => bytes(encode1(multiple1(times)), bytesOfWord(scalar)))
      const input2 = pairs.map(({ times, scalar }) => bytes(encode2(multiple2(times)), bytesOfWord(scalar)))
      expect(g1Msm(crypto).run(bytes(...input1))).toEqual(encode1(multiple1(sum)))
      expect(g2Msm(crypto).run(bytes(...input2))).toEqual(encode2(multiple2(sum)))
    })
  }
})
