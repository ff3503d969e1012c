import type { Word } from '../word.ts'
import { wordAt } from './bytes.ts'
import { coordinateSize, g1Size, loadMcl, scalarSize } from './mcl.ts'

/** The order of the group. */
export const secp256k1Order: Word = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * The 64 bytes x ‖ y of the public key that signed the 32 bytes of `digest`; `signature` is r ‖ s. `undefined`: r or s
 * out of range, or no such key. High s is valid (EIP-2 forbids it in transactions only).
 */
export type RecoverPublicKey = (
  digest: Uint8Array,
  signature: Uint8Array,
  yParity: 0 | 1,
) => Uint8Array | undefined

/** SEC 1 §4.1.6: with R of abscissa r, the key is r⁻¹(sR − zG). An abscissa r + order is not allowed in Ethereum. */
export function loadRecoverPublicKey(): RecoverPublicKey {
  const mcl = loadMcl('secp256k1')
  const { native } = mcl

  const seven = mcl.allocate(coordinateSize)
  native.mclBnFp_setInt32(seven, 7)
  const points = mcl.allocate(2 * g1Size)
  native.mclBnG1_getBasePoint(points)
  const [x, y, z] = coordinatesOf(points + g1Size)
  const scalars = mcl.allocate(2 * scalarSize)
  const [forBase, forR] = [scalars, scalars + scalarSize]
  const inverse = mcl.allocate(scalarSize)
  const key = mcl.allocate(g1Size)
  const [keyX, keyY] = coordinatesOf(key)

  return (digest, signature, yParity) => {
    if (!isScalar(wordAt(signature, 0)) || !isScalar(wordAt(signature, 32))) return undefined
    const r = signature.subarray(0, 32)

    mcl.writeCoordinate(x, r)
    native.mclBnFp_sqr(y, x)
    native.mclBnFp_mul(y, y, x)
    native.mclBnFp_add(y, y, seven)
    if (native.mclBnFp_squareRoot(y, y) !== 0) return undefined
    if (native.mclBnFp_isOdd(y) !== yParity) native.mclBnFp_neg(y, y)
    native.mclBnFp_setInt32(z, 1)

    mcl.writeScalar(inverse, r)
    native.mclBnFr_inv(inverse, inverse)
    mcl.writeScalar(forBase, digest)
    native.mclBnFr_mul(forBase, forBase, inverse)
    native.mclBnFr_neg(forBase, forBase)
    mcl.writeScalar(forR, signature.subarray(32, 64))
    native.mclBnFr_mul(forR, forR, inverse)

    native.mclBnG1_mulVec(key, points, scalars, 2)
    if (native.mclBnG1_isZero(key) === 1) return undefined
    native.mclBnG1_normalize(key, key)
    const encoded = new Uint8Array(64)
    mcl.readCoordinate(keyX, encoded.subarray(0, 32))
    mcl.readCoordinate(keyY, encoded.subarray(32))
    return encoded
  }
}

function coordinatesOf(point: number): [number, number, number] {
  return [point, point + coordinateSize, point + 2 * coordinateSize]
}

function isScalar(word: Word): boolean {
  return word > 0n && word < secp256k1Order
}
