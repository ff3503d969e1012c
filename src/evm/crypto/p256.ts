import { integerOf, wordAt } from './bytes.ts'
import { coordinateSize, g1Size, loadMcl, scalarSize } from './mcl.ts'

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const modulus = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn

/** Did the key x ‖ y sign the 32 bytes of `digest` with r ‖ s? False too for what is no key and no signature. */
export type VerifyP256 = (digest: Uint8Array, signature: Uint8Array, key: Uint8Array) => boolean

/** FIPS 186-5 §6.4.2. High s is valid (EIP-7951). */
export function loadVerifyP256(): VerifyP256 {
  const mcl = loadMcl('p256')
  const { native } = mcl

  const points = mcl.allocate(2 * g1Size)
  native.mclBnG1_getBasePoint(points)
  const keyPoint = points + g1Size
  const scalars = mcl.allocate(2 * scalarSize)
  const [forBase, forKey] = [scalars, scalars + scalarSize]
  const inverse = mcl.allocate(scalarSize)
  const sum = mcl.allocate(g1Size)
  const abscissa = new Uint8Array(32)

  return (digest, signature, key) => {
    const [r, s] = [wordAt(signature, 0), wordAt(signature, 32)]
    if (r === 0n || r >= order || s === 0n || s >= order) return false
    if (wordAt(key, 0) >= modulus || wordAt(key, 32) >= modulus) return false
    mcl.writeCoordinate(keyPoint, key.subarray(0, 32))
    mcl.writeCoordinate(keyPoint + coordinateSize, key.subarray(32, 64))
    native.mclBnFp_setInt32(keyPoint + 2 * coordinateSize, 1)
    if (native.mclBnG1_isValid(keyPoint) === 0) return false

    mcl.writeScalar(inverse, signature.subarray(32, 64))
    native.mclBnFr_inv(inverse, inverse)
    mcl.writeScalar(forBase, digest)
    native.mclBnFr_mul(forBase, forBase, inverse)
    mcl.writeScalar(forKey, signature.subarray(0, 32))
    native.mclBnFr_mul(forKey, forKey, inverse)

    native.mclBnG1_mulVec(sum, points, scalars, 2)
    if (native.mclBnG1_isZero(sum) === 1) return false
    native.mclBnG1_normalize(sum, sum)
    mcl.readCoordinate(sum, abscissa)
    return integerOf(abscissa) % order === r
  }
}
