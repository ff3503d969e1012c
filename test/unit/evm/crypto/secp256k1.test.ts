import { describe, expect, test } from 'bun:test'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesOfWord, wordAt } from '../../../../src/evm/crypto/bytes.ts'
import { loadRecoverPublicKey, secp256k1Order } from '../../../../src/evm/crypto/secp256k1.ts'

const recover = loadRecoverPublicKey()
const { Point } = secp256k1
const { Fn } = Point

function theirs(digest: Uint8Array, signature: Uint8Array, yParity: number): string | undefined {
  try {
    const parsed = secp256k1.Signature.fromBytes(Uint8Array.of(yParity, ...signature), 'recovered')
    return parsed.recoverPublicKey(digest).toBytes(false).slice(1).toHex()
  } catch {
    return undefined
  }
}

function ours(digest: Uint8Array, signature: Uint8Array, yParity: number): string | undefined {
  return recover(digest, signature, yParity === 0 ? 0 : 1)?.toHex()
}

function signatureOf(r: bigint, s: bigint): Uint8Array {
  return Uint8Array.of(...bytesOfWord(r), ...bytesOfWord(s))
}

describe('recovering a public key', () => {
  test('gives the key that signed', () => {
    for (let round = 0; round < 50; round++) {
      const { secretKey, publicKey } = secp256k1.keygen()
      const digest = crypto.getRandomValues(new Uint8Array(32))
      const signed = secp256k1.sign(digest, secretKey, { prehash: false, format: 'recovered' })
      const key = Point.fromBytes(publicKey).toBytes(false).slice(1).toHex()
      expect(ours(digest, signed.subarray(1), signed[0] ?? 0)).toBe(key)
    }
  })

  test('agrees with another library on any r, s and digest', () => {
    for (let round = 0; round < 200; round++) {
      const [digest, signature] = [new Uint8Array(32), new Uint8Array(64)]
      crypto.getRandomValues(digest)
      crypto.getRandomValues(signature)
      expect(ours(digest, signature, round & 1)).toBe(theirs(digest, signature, round & 1))
    }
  })

  // R = kG with s and z chosen freely: where uG and vR meet, cancel, or one of them vanishes, additions need care.
  const edges = [0n, 1n, 2n, 3n, secp256k1Order - 1n, secp256k1Order - 2n, secp256k1Order / 2n]
  for (const k of [1n, 2n, 3n, secp256k1Order - 1n, (secp256k1Order + 1n) / 2n]) {
    test(`agrees with another library at the edges of R = ${k.toString(16)} G`, () => {
      const point = Point.BASE.multiply(k).toAffine()
      const r = point.x
      const yParity = Number(point.y & 1n)
      const meeting = edges.flatMap((s) => edges.map((z) => [s, Fn.create(z)] as const))
      const cancelling = edges.flatMap((s) => [-1n, 0n, 1n].map((by) => [s, Fn.create(s * k + by)] as const))
      const doubling = edges.map((s) => [s, Fn.create(-s * k)] as const)
      for (const [s, z] of [...meeting, ...cancelling, ...doubling]) {
        const [digest, signature] = [bytesOfWord(z), signatureOf(r, s)]
        for (const parity of [yParity, 1 - yParity]) {
          expect(ours(digest, signature, parity), `s ${s} z ${z}`).toBe(theirs(digest, signature, parity))
        }
      }
    })
  }

  test('a digest above the order counts modulo the order', () => {
    const digest = new Uint8Array(32).fill(0xff)
    const reduced = bytesOfWord(wordAt(digest) % secp256k1Order)
    const signature = signatureOf(Point.BASE.x, 5n)
    expect(ours(digest, signature, 0)).toBe(ours(reduced, signature, 0))
  })

  test('r and s out of range are nobody’s', () => {
    const digest = new Uint8Array(32).fill(1)
    const wrong = [0n, secp256k1Order, secp256k1Order + 1n, 2n ** 256n - 1n]
    const signatures = wrong.flatMap((value) => [signatureOf(value, 1n), signatureOf(Point.BASE.x, value)])
    expect(signatures.map((signature) => ours(digest, signature, 0))).toEqual(signatures.map(() => undefined))
  })
})
