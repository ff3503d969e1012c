import type { Word } from '../word.ts'
import { bytesOfWord, integerOf, isZero } from './bytes.ts'
import { coordinateSize, type Pointer, scalarSize } from './mcl.ts'
import type { Group, PairingCurve } from './pairing-curve.ts'

/** The order of BLS12-381's groups: what evaluations are modulo. */
export const blsOrder: Word = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

/** The coordinates of the generators, and of G2's multiple by the secret of the KZG ceremony, [s]₂ of EIP-4844. */
const generator1 = [
  '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  '08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1',
]
const generator2 = [
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
  '13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e',
  '0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801',
  '0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
]
const secret2 = [
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
  '15bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72',
  '014353bdb96b626dd7d5ee8599d1fca2131569490e28de18e82451a496a9c9794ce26d105941f383ee689bfbbb832a99',
  '1666c54b0a32529503432fcae0181b4bef79de09fc63671fda5ed1ba9bfa07899495346f3d7ac9cd23048ef30d0a154f',
]

/** Bits of the first byte of a compressed point (the serialization of Zcash). */
const isCompressed = 0x80
const isInfinity = 0x40
const hasLargerOrdinate = 0x20

/**
 * Has the polynomial behind the commitment the value `y` at `z`? Commitment and proof are compressed points of 48
 * bytes. False too for what is no point of G1 or no scalar (EIP-4844, `verify_kzg_proof`).
 */
export type VerifyKzgProof = (commitment: Uint8Array, z: Word, y: Word, proof: Uint8Array) => boolean

/** e(C − [y]₁, [1]₂) = e(proof, [s − z]₂), as one product: e([y]₁ − C, [1]₂) · e(proof, [s − z]₂) = 1. */
export function kzgVerifier(curve: PairingCurve): VerifyKzgProof {
  const { mcl, g1, g2, product } = curve
  const decompress = decompressor(curve)
  const [base1, base2, secret] = [pointOf(generator1, g1), pointOf(generator2, g2), pointOf(secret2, g2)]
  const [commitmentPoint, proofPoint, value] = [
    mcl.allocate(g1.size),
    mcl.allocate(g1.size),
    mcl.allocate(g1.size),
  ]
  const shift = mcl.allocate(g2.size)
  const scalar = mcl.allocate(scalarSize)

  function pointOf(coordinates: readonly string[], group: Group): Pointer {
    const encoded = coordinates.map((coordinate) => coordinate.padStart(128, '0')).join('')
    const point = mcl.allocate(group.size)
    group.read(Uint8Array.fromHex(encoded), point)
    return point
  }

  return (commitment, z, y, proof) => {
    if (z >= blsOrder || y >= blsOrder) return false
    if (!decompress(commitment, commitmentPoint) || !decompress(proof, proofPoint)) return false

    mcl.writeScalar(scalar, bytesOfWord(y))
    g1.multiply(value, base1, scalar)
    g1.negate(commitmentPoint, commitmentPoint)
    g1.add(commitmentPoint, value, commitmentPoint)

    mcl.writeScalar(scalar, bytesOfWord(z === 0n ? 0n : blsOrder - z))
    g2.multiply(shift, base2, scalar)
    g2.add(shift, secret, shift)

    const pairings = product()
    pairings.multiplyBy(commitmentPoint, base2)
    pairings.multiplyBy(proofPoint, shift)
    return pairings.isOne()
  }
}

/** @returns a reader of compressed points, false for what is not in G1 */
function decompressor({ mcl, modulus, g1 }: PairingCurve) {
  const { native } = mcl
  const four = mcl.allocate(coordinateSize)
  native.mclBnFp_setInt32(four, 4)
  const abscissa = new Uint8Array(48)
  const ordinate = new Uint8Array(48)

  return (bytes: Uint8Array, into: Pointer): boolean => {
    const flags = bytes[0] ?? 0
    abscissa.set(bytes)
    abscissa[0] = flags & ~(isCompressed | isInfinity | hasLargerOrdinate)
    if ((flags & isCompressed) === 0) return false
    native.mclBnG1_clear(into)
    if ((flags & isInfinity) !== 0) return (flags & hasLargerOrdinate) === 0 && isZero(abscissa)
    if (integerOf(abscissa) >= modulus) return false

    const y = into + coordinateSize
    mcl.writeCoordinate(into, abscissa)
    native.mclBnFp_sqr(y, into)
    native.mclBnFp_mul(y, y, into)
    native.mclBnFp_add(y, y, four)
    if (native.mclBnFp_squareRoot(y, y) !== 0) return false
    mcl.readCoordinate(y, ordinate)
    const isLarger = integerOf(ordinate) > modulus / 2n
    if (isLarger !== ((flags & hasLargerOrdinate) !== 0)) native.mclBnFp_neg(y, y)
    native.mclBnFp_setInt32(y + coordinateSize, 1)
    return g1.isInSubgroup(into)
  }
}
