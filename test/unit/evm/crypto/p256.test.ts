import { describe, expect, test } from 'bun:test'
import { p256 } from '@noble/curves/nist.js'
import { bytesOfWord } from '../../../../src/evm/crypto/bytes.ts'
import { loadVerifyP256 } from '../../../../src/evm/crypto/p256.ts'

const verify = loadVerifyP256()
const { Point } = p256
const { Fn } = Point
const order = Fn.ORDER

const joined = (...words: bigint[]) => Uint8Array.from(words.flatMap((word) => [...bytesOfWord(word)]))

function theirs(digest: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  return p256.verify(signature, digest, Uint8Array.of(4, ...key), { prehash: false, lowS: false })
}

describe('verifying with P-256', () => {
  // The key is kG, so that with z and r chosen u1·G and u2·key meet, cancel, or one of them vanishes.
  for (const k of [1n, 2n, 3n, order - 1n, order - 2n, (order + 1n) / 2n]) {
    test(`agrees with another library at the edges of the key ${k.toString(16)} G`, () => {
      const { x, y } = Point.BASE.multiply(k).toAffine()
      const key = joined(x, y)
      for (const u1 of [0n, 1n, 2n, order - 1n, k, order - k]) {
        for (const u2 of [1n, 2n, order - 1n]) {
          const sum = Fn.create(u1 + u2 * k)
          const r = sum === 0n ? 1n : Fn.create(Point.BASE.multiply(sum).toAffine().x)
          const s = Fn.mul(r, Fn.inv(u2))
          const digest = joined(Fn.mul(u1, s))
          for (const signature of [joined(r, s), joined(r, order - s), joined(Fn.create(r + 1n), s)]) {
            const ours = verify(digest, signature, key)
            expect(ours, `u1 ${u1} u2 ${u2}`).toBe(theirs(digest, signature, key))
          }
          expect(verify(digest, joined(r, s), key)).toBe(sum !== 0n)
        }
      }
    })
  }

  test('takes what another library signs, and no other digest', () => {
    const { secretKey, publicKey } = p256.keygen()
    const key = Point.fromBytes(publicKey).toBytes(false).slice(1)
    const digest = crypto.getRandomValues(new Uint8Array(32))
    const signature = p256.sign(digest, secretKey, { prehash: false, lowS: false })
    expect(verify(digest, signature, key)).toBe(true)
    expect(verify(digest.toReversed(), signature, key)).toBe(false)
  })
})
