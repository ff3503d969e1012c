import { describe, expect, test } from 'bun:test'
import { bn254 as noble } from '@noble/curves/bn254.js'
import { bytesOfWord } from '../../../../src/evm/crypto/bytes.ts'
import { loadCrypto } from '../../../../src/evm/crypto/crypto.ts'
import { bn254Add, bn254Multiply, bn254Pairing } from '../../../../src/evm/precompiles/bn254.ts'

const crypto = await loadCrypto()
const [add, multiply, pairing] = [bn254Add(crypto), bn254Multiply(crypto), bn254Pairing(crypto)]

const G1 = noble.G1.Point
const G2 = noble.G2.Point
const order = noble.fields.Fr.ORDER
const modulus = noble.fields.Fp.ORDER

type Point1 = typeof G1.BASE
type Point2 = typeof G2.BASE

const joined = (...words: bigint[]) => Uint8Array.from(words.flatMap((word) => [...bytesOfWord(word)]))
const zero = new Uint8Array(32)

function encode1(point: Point1): Uint8Array {
  if (point.is0()) return new Uint8Array(64)
  const { x, y } = point.toAffine()
  return joined(x, y)
}

function encode2(point: Point2): Uint8Array {
  if (point.is0()) return new Uint8Array(128)
  const { x, y } = point.toAffine()
  return joined(x.c1, x.c0, y.c1, y.c0)
}

const bytes = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))
const multiple = (scalar: bigint) => (scalar === 0n ? G1.ZERO : G1.BASE.multiply(scalar))

/** Where additions and doublings have their exceptions, and some that have none. */
const scalars = [0n, 1n, 2n, 3n, order - 1n, order - 2n, order / 2n, 0x1234_5678_9abc_def0n]

describe('BN254', () => {
  test('adds as another library does', () => {
    for (const left of scalars) {
      for (const right of scalars) {
        const [a, b] = [multiple(left), multiple(right)]
        expect(add.run(bytes(encode1(a), encode1(b)))).toEqual(encode1(a.add(b)))
      }
    }
  })

  test('multiplies as another library does, by any word', () => {
    for (const scalar of [...scalars, order, order + 5n, 2n ** 256n - 1n]) {
      for (const times of scalars) {
        const point = multiple(times)
        const reduced = scalar % order
        const product = reduced === 0n || point.is0() ? G1.ZERO : point.multiply(reduced)
        expect(multiply.run(bytes(encode1(point), bytesOfWord(scalar)))).toEqual(encode1(product))
      }
    }
  })

  test('reads what is missing as zeros and leaves what is too much', () => {
    const generator = encode1(G1.BASE)
    expect(add.run(generator)).toEqual(generator)
    expect(add.run(new Uint8Array(0))).toEqual(new Uint8Array(64))
    expect(multiply.run(generator)).toEqual(new Uint8Array(64))
    expect(add.run(bytes(generator, new Uint8Array(64), zero.fill(7)))).toEqual(generator)
  })

  test('fails for what is not on the curve and for coordinates not below the modulus', () => {
    const wrong = [joined(1n, 1n), joined(0n, 1n), joined(1n + modulus, 2n), joined(modulus, modulus)]
    expect(wrong.map((point) => add.run(bytes(encode1(G1.BASE), point)))).toEqual(wrong.map(() => undefined))
    expect(wrong.map((point) => multiply.run(point))).toEqual(wrong.map(() => undefined))
  })

  test('pairs: e(aG, bH) · e(−abG, H) is 1 and nothing else is', () => {
    const pair = (a: bigint, b: bigint) => bytes(encode1(multiple(a)), encode2(G2.BASE.multiply(b)))
    const output = (...pairs: Uint8Array[]) => pairing.run(bytes(...pairs))
    expect(output()).toEqual(bytesOfWord(1n))
    expect(output(pair(5n, 7n), pair(order - 35n, 1n))).toEqual(bytesOfWord(1n))
    expect(output(pair(5n, 7n), pair(order - 36n, 1n))).toEqual(bytesOfWord(0n))
    expect(output(pair(0n, 7n))).toEqual(bytesOfWord(1n))
    expect(output(bytes(encode1(G1.BASE), new Uint8Array(128)))).toEqual(bytesOfWord(1n))
    // More pairs than the library takes at a time.
    const many = Array.from({ length: 20 }, (_, index) => pair(BigInt(index + 1), 2n))
    expect(output(...many, pair(order - 420n, 1n))).toEqual(bytesOfWord(1n))
    expect(output(...many, pair(order - 419n, 1n))).toEqual(bytesOfWord(0n))
  })

  test('a pairing that fails leaves nothing behind for the next', () => {
    const good = bytes(encode1(G1.BASE), encode2(G2.BASE))
    const bad = bytes(encode1(G1.BASE), joined(1n, 2n, 3n, 4n))
    expect(pairing.run(bytes(good, bad))).toBeUndefined()
    expect(pairing.run(new Uint8Array(0))).toEqual(bytesOfWord(1n))
  })

  test('does not pair points of the curve over Fp2 that are outside of G2', () => {
    const outside = outsideOfG2()
    expect(pairing.run(bytes(encode1(G1.BASE), encode2(outside)))).toBeUndefined()
    expect(pairing.run(bytes(encode1(G1.ZERO), encode2(outside)))).toBeUndefined()
  })

  test('gas of EIP-1108', () => {
    const empty = new Uint8Array(0)
    const lengths = [0, 191, 192, 400].map((size) => pairing.gas(new Uint8Array(size)))
    expect([add.gas(empty), multiply.gas(empty), ...lengths]).toEqual([
      150, 6000, 45_000, 45_000, 79_000, 113_000,
    ])
  })
})

function outsideOfG2(): Point2 {
  const { Fp2 } = noble.fields
  for (let re = 1n; ; re++) {
    const x = Fp2.create({ c0: re, c1: 0n })
    try {
      const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b))
      const point = G2.fromAffine({ x, y })
      if (!point.isTorsionFree()) return point
    } catch {
      // no point with this abscissa
    }
  }
}
