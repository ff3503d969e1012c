import { loadMultiplyBase } from './base-multiples.ts'
import { bytesOfWord, wordAt } from './bytes.ts'
import { coordinateSize, g1Size, loadMcl, type Pointer, scalarSize } from './mcl.ts'
import { secp256k1Order } from './secp256k1.ts'

export type Signature = { r: Uint8Array; s: Uint8Array; yParity: 0 | 1 }

/**
 * ECDSA over secp256k1 of a 32-byte digest, with the nonce of RFC 6979 and a low s (EIP-2): what viem signs, four times
 * as fast. As little constant-time as the big integers of JavaScript; the nonce's inverse is blinded.
 */
export type SignDigest = (digest: Uint8Array, privateKey: Uint8Array) => Signature

/** Takes some 10 ms. What is secret is wiped from the module's memory with every signature. */
export function loadSignDigest(mcl = loadMcl('secp256k1')): SignDigest {
  const { native } = mcl
  const multiplyBase = loadMultiplyBase(mcl)
  const point = mcl.allocate(g1Size)
  const [pointX, pointY] = [point, point + coordinateSize]
  const [inverse, blind, r, s, key] = [scalar(), scalar(), scalar(), scalar(), scalar()]
  const out = mcl.allocate(scalarSize)
  const nothing = new Uint8Array(scalarSize)

  return (digest, privateKey) => {
    try {
      for (const nonce of nonces(digest, privateKey)) {
        const signature = signWith(nonce, digest, privateKey)
        nonce.fill(0)
        if (signature !== undefined) return signature
      }
      throw new Error('there is always another nonce')
    } finally {
      // With the last one, the memory that all of them pass through.
      for (const secret of [inverse, blind, r, s, key]) mcl.writeScalar(secret, nothing)
    }
  }

  function scalar(): Pointer {
    return mcl.allocate(scalarSize)
  }

  /** s = k⁻¹(z + r·d), R = k·G. `undefined` where this nonce does not do. */
  function signWith(nonce: Uint8Array, digest: Uint8Array, privateKey: Uint8Array): Signature | undefined {
    multiplyBase(point, nonce)
    native.mclBnG1_normalize(point, point)
    const x = new Uint8Array(32)
    mcl.readCoordinate(pointX, x)
    if (!isScalar(wordAt(x))) return undefined

    mcl.writeScalar(inverse, nonce)
    mcl.writeScalar(blind, crypto.getRandomValues(new Uint8Array(32)))
    native.mclBnFr_mul(inverse, inverse, blind)
    native.mclBnFr_inv(inverse, inverse)
    native.mclBnFr_mul(inverse, inverse, blind)

    mcl.writeScalar(r, x)
    mcl.writeScalar(key, privateKey)
    native.mclBnFr_mul(s, r, key)
    mcl.writeScalar(r, digest)
    native.mclBnFr_add(s, s, r)
    native.mclBnFr_mul(s, s, inverse)
    const high = wordAt(read(s))
    if (high === 0n) return undefined
    const isHigh = high > secp256k1Order / 2n
    const isOdd = native.mclBnFp_isOdd(pointY) === 1
    return {
      r: x,
      s: bytesOfWord(isHigh ? secp256k1Order - high : high),
      yParity: isOdd === isHigh ? 0 : 1,
    }
  }

  function read(pointer: Pointer): Uint8Array {
    const size = native.mclBnFr_getLittleEndian(out, scalarSize, pointer)
    const bytes = new Uint8Array(scalarSize)
    bytes.set(mcl.memory.subarray(out, out + size))
    return bytes.reverse()
  }
}

/** RFC 6979 §3.2 with SHA-256: one is enough, unless a signature comes out as zero. */
function* nonces(digest: Uint8Array, privateKey: Uint8Array): Generator<Uint8Array> {
  const reduced = bytesOfWord(wordAt(digest) % secp256k1Order)
  let value = new Uint8Array(32).fill(1)
  let secret = new Uint8Array(32)
  const mix = (separator: number, ...seed: readonly Uint8Array[]) => {
    secret = hmac(secret, value, Uint8Array.of(separator), ...seed)
    value = hmac(secret, value)
  }
  mix(0, privateKey, reduced)
  mix(1, privateKey, reduced)
  for (;;) {
    value = hmac(secret, value)
    if (isScalar(wordAt(value))) yield value.slice()
    mix(0)
  }
}

function hmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const hasher = new Bun.CryptoHasher('sha256', key)
  for (const part of parts) hasher.update(part)
  return new Uint8Array(hasher.digest())
}

const isScalar = (word: bigint): boolean => word > 0n && word < secp256k1Order
